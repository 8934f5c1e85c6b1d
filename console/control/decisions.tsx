import { useAnswer } from '../client/live.ts';
import { attestationColumn, byColumn, resultColumn } from '../evidence/attestation-columns.tsx';
import { quoted } from '../model/commands.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import styles from './control.module.css';
import { decisionsSentence } from './model/controls.ts';
import { readDecisions } from './reads.ts';

interface DecisionsProps {
  params: { org: string; control: string };
  search?: { cursor?: string; result?: 'true' | 'false' };
  /** Shows only so many, with a link to all. */
  most?: number;
}

/** Decisions about the control, the newest first. */
export function Decisions({ params, search = {}, most }: DecisionsProps) {
  const { org } = params;
  const { data, ...answer } = useAnswer(readDecisions(params, search));
  const hasMore = 'next_cursor' in answer && answer.next_cursor !== null;
  if (data.length === 0 && !hasMore) {
    return search.result !== undefined ? (
      <Empty sentence="No decision has this result." />
    ) : (
      <Empty
        sentence="Nobody recorded a decision about this control."
        remedy="A pipeline or a person records one for a trail or an artifact."
        commands={[
          {
            what: 'Command-line client',
            text: `kosli attest decision --control ${quoted(params.control)} --name NAME \\\n  --flow FLOW --trail TRAIL --org ${quoted(org)} --host ${location.origin} --api-token "$KEY"`,
          },
        ]}
      />
    );
  }
  return (
    <>
      {search.result === undefined && <p className={styles['summary']}>{decisionsSentence(data, hasMore)}</p>}
      <Table
        caption="Decisions, the newest first"
        rows={data.slice(0, most)}
        keyOf={({ attestation_id: id }) => id}
        columns={[
          attestationColumn(org, 'Decision'),
          resultColumn,
          {
            head: 'Trail',
            cell: ({ flow_name: flow, trail_name: trail }) => (
              <PageLink page="trail" params={{ org, flow, trail }}>
                <Text>{`${trail} of ${flow}`}</Text>
              </PageLink>
            ),
          },
          {
            head: 'Artifact',
            fit: true,
            cell: ({ artifact_fingerprint: fingerprint, flow_name: flow }) =>
              fingerprint === null ? (
                'whole trail'
              ) : (
                <PageLink page="artifact" params={{ org, flow, fingerprint }}>
                  <Id what="fingerprint" short plain>
                    {fingerprint}
                  </Id>
                </PageLink>
              ),
          },
          {
            head: 'Control version',
            fit: true,
            align: 'end',
            cell: ({ control_version: version }: Record<string, unknown>) =>
              typeof version === 'number' ? version : '–',
          },
          { head: 'When', fit: true, cell: ({ created_at: at }) => <Time at={at} /> },
          byColumn,
        ]}
      />
      {most !== undefined && (hasMore || data.length > most) && (
        <p className={styles['all']}>
          <PageLink page="control-decisions" params={params}>
            All decisions
          </PageLink>
        </p>
      )}
    </>
  );
}
