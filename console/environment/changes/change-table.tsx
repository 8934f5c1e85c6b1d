import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { ArtifactName } from '../../release/artifact-name.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { approvalText, changeText, sideOf, stateOfSide } from '../model/changes.ts';
import type { EnvironmentChange, EnvironmentChanges } from '../operations.ts';
import styles from './changes.module.css';

interface Place {
  params: ParamsOf<'environment'>;
}

/** A row for each change: the two versions, who made and allowed the present one, and who was told. */
export const ChangeTable = ({ params, changes }: Place & { changes: readonly EnvironmentChange[] }) => (
  <Table
    caption="What changed"
    rows={changes.map((change, n) => ({ ...change, key: String(n) }))}
    keyOf={({ key }) => key}
    columns={[
      { head: 'Change', wide: true, cell: (change) => <What org={params.org} change={change} /> },
      { head: 'When', fit: true, cell: (change) => <When params={params} change={change} /> },
      { head: 'Verdict', cell: (change) => <Verdict change={change} /> },
      { head: 'Commits', cell: (change) => <Commits change={change} /> },
      { head: 'Allowed by', cell: (change) => <AllowedBy params={params} change={change} /> },
      { head: 'Told', cell: ({ notified }) => <Told org={params.org} notified={notified} /> },
    ]}
  />
);

function What({ org, change }: { org: string; change: EnvironmentChange }) {
  const side = sideOf(change);
  if (!side) return null;
  return (
    <>
      <div>
        <Text>{changeText(change)}</Text>
      </div>
      <ArtifactName org={org} name={side.name} fingerprint={side.fingerprint} flow={side.flow_name} />
      {change.environment_name !== undefined && (
        <span className={styles['quiet']}>
          in <Text>{change.environment_name}</Text>
        </span>
      )}
    </>
  );
}

const When = ({ params, change: { at, snapshot_index: index } }: Place & { change: EnvironmentChange }) =>
  index === null ? (
    <Time at={at} never="–" />
  ) : (
    <PageLink page="snapshot" params={{ ...params, expression: String(index) }}>
      <Time at={at} /> #{index}
    </PageLink>
  );

function Verdict({ change: { before, after } }: { change: EnvironmentChange }) {
  const [was, is] = [before && stateOfSide(before), after && stateOfSide(after)];
  if (was === null || is === null || was === is) return <State state={is ?? was ?? 'unknown'} />;
  return (
    <>
      <State state={was} /> → <State state={is} />
    </>
  );
}

function Commits({ change: { before, after, code_diff: diff } }: { change: EnvironmentChange }) {
  const commits = [...new Set([before?.git_commit, after?.git_commit])].filter(
    (commit) => commit != null && commit !== '',
  );
  const side = after ?? before;
  if (commits.length === 0) return 'no build reported';
  return (
    <>
      {commits.map((commit, n) => (
        <span key={commit}>
          {n > 0 && ' → '}
          <Id what="commit" short plain>
            {commit ?? ''}
          </Id>
        </span>
      ))}
      {diff !== null && (
        <>
          {' '}
          <OutLink href={diff}>difference</OutLink>
        </>
      )}
      {side?.author != null && (
        <div className={styles['quiet']}>
          by <Text>{side.author}</Text>
        </div>
      )}
    </>
  );
}

function AllowedBy({ params, change: { approvals, after } }: Place & { change: EnvironmentChange }) {
  if (approvals.length === 0) return after === null ? '–' : 'nobody on record';
  const { org } = params;
  return (
    <ul className={styles['list']}>
      {approvals.map(({ url, reason, at, ...approval }) => (
        <li key={`${approval.attestation_id} ${approval.kind} ${approval.by} ${url}`}>
          <strong>
            <Text>{approval.by}</Text>
          </strong>{' '}
          {approval.control !== null ? (
            <PageLink page="control" params={{ org, control: approval.control }}>
              <Text>{approvalText(approval)}</Text>
            </PageLink>
          ) : approval.kind === 'allow_list' ? (
            <PageLink page="environment-allowed" params={params}>
              {approvalText(approval)}
            </PageLink>
          ) : (
            <Text>{approvalText(approval)}</Text>
          )}{' '}
          {url !== null && <OutLink href={url}>the pull request</OutLink>}
          {reason !== null && (
            <span className={styles['quiet']}>
              : <Text>{reason}</Text>
            </span>
          )}{' '}
          <span className={styles['quiet']}>
            <Time at={at} never="" />
          </span>
        </li>
      ))}
    </ul>
  );
}

type Notified = EnvironmentChanges['notified'];

/** Each action once, with the number of its deliveries that failed. */
export function Told({ org, notified }: { org: string; notified: Notified }) {
  if (notified.length === 0) return 'nobody';
  const byAction = [...Map.groupBy(notified, ({ action }) => action.number).entries()];
  return (
    <ul className={styles['list']}>
      {byAction.map(([number, deliveries]) => {
        const [first] = deliveries;
        const failed = deliveries.filter(({ state }) => state === 'dead' || state === 'discarded').length;
        return (
          <li key={number}>
            <PageLink page="action" params={{ org, action: String(number) }}>
              <Text>{first?.action.name || `action ${number}`}</Text>
            </PageLink>{' '}
            {failed > 0 ? <State state="non-compliant">not delivered</State> : <Text>{first?.state ?? ''}</Text>}
          </li>
        );
      })}
    </ul>
  );
}
