import { useLiveAnswer } from '../client/live.ts';
import { sealOf } from '../model/grades.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { TrailName } from '../release/artifact-cells.tsx';
import type { PageProps } from '../routes/route.ts';
import type { Attestation } from '../trail/operations.ts';
import { attestationColumn, byColumn, resultColumn } from './attestation-columns.tsx';
import { AttestationFilters } from './attestation-filters.tsx';
import { attestationListSentence } from './model/attestation-list.ts';
import { type attestationsRoute, readAttestations } from './routes.ts';

/** Attestations of all flows, the newest first. */
export default function AttestationsPage({ params, search }: PageProps<typeof attestationsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readAttestations(org, search), 30);
  const { page: _page, cursor: _cursor, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const total = 'pagination' in answer ? answer.pagination.total : null;
  return (
    <>
      <VerdictLine
        subject="Attestations"
        context={org}
        sentence={attestationListSentence(answer.data, total, isFiltered)}
      />
      <AttestationFilters org={org} search={search} />
      {answer.data.length === 0 ? (
        <Nothing org={org} isFiltered={isFiltered} />
      ) : (
        <Rows org={org} attestations={answer.data} />
      )}
      {'pagination' in answer ? (
        <Pager pagination={answer.pagination} page="attestations" params={params} search={search} />
      ) : (
        <CursorPager next={answer.next_cursor} page="attestations" params={params} search={search} />
      )}
      <Raw value={answer} path={`/attestations/${org}?per_page=25`} />
    </>
  );
}

const Rows = ({ org, attestations }: { org: string; attestations: readonly Attestation[] }) => (
  <Table
    caption="Attestations, the newest first"
    rows={attestations}
    keyOf={({ attestation_id: id }) => id}
    columns={[
      attestationColumn(org, 'Attestation'),
      resultColumn,
      { head: 'Seal', fit: true, cell: ({ verification }) => <State state={sealOf(verification)} /> },
      {
        head: 'Type',
        fit: true,
        cell: (attestation) => <TypeCell org={org} attestation={attestation} />,
      },
      {
        head: 'Trail',
        cell: ({ flow_name: flow, trail_name: trail }) => <TrailName org={org} flow={flow} trail={trail} />,
      },
      { head: 'Artifact', fit: true, cell: (attestation) => <About org={org} attestation={attestation} /> },
      {
        head: 'Files',
        fit: true,
        align: 'end',
        cell: ({ attachments }) => (attachments.length === 0 ? '–' : attachments.length),
      },
      byColumn,
      { head: 'Reported', fit: true, cell: ({ created_at: at }) => <Time at={at} show="ago" /> },
    ]}
  />
);

const CUSTOM = 'custom:';

/** The type; a type of the organization leads to its page, a decision to its control. */
function TypeCell({ org, attestation }: { org: string; attestation: Attestation }) {
  const { attestation_type: type, control } = attestation;
  if (type.startsWith(CUSTOM)) {
    const name = type.slice(CUSTOM.length);
    return (
      <PageLink page="type" params={{ org, type: name }}>
        <Text>{name}</Text>
      </PageLink>
    );
  }
  if (typeof control !== 'string') return <Text>{type}</Text>;
  return (
    <>
      <Text>{type}</Text>{' '}
      <PageLink page="control" params={{ org, control }}>
        <Text>{control}</Text>
      </PageLink>
    </>
  );
}

/** The artifact that an attestation is about; the whole trail if it names none. */
function About({ org, attestation }: { org: string; attestation: Attestation }) {
  const { artifact_fingerprint: fingerprint, target_artifacts: targets, flow_name: flow } = attestation;
  if (fingerprint !== null) {
    return (
      <PageLink page="artifact" params={{ org, flow, fingerprint }}>
        <Id what="fingerprint" short plain>
          {fingerprint}
        </Id>
      </PageLink>
    );
  }
  return targets.length > 0 ? <Text>{targets.join(', ')}</Text> : <>the trail</>;
}

const Nothing = ({ org, isFiltered }: { org: string; isFiltered: boolean }) =>
  isFiltered ? (
    <Empty sentence="No attestation fits the filter." remedy="Remove a filter, or choose other days." />
  ) : (
    <Empty
      sentence="An attestation is a piece of evidence: a review, a test report, a scan, a decision."
      commands={[
        {
          what: 'Command-line client',
          text: `kosli attest generic --name NAME --flow FLOW --trail TRAIL --org ${org} --host ${location.origin} --api-token "$KEY"`,
        },
      ]}
    />
  );
