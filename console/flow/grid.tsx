import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { commitText } from '../model/commit.ts';
import { stateOfWord } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { EnvironmentLinks } from '../parts/link/name-links.tsx';
import { Scroller } from '../parts/table/scroller.tsx';
import { useRowKeys } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State, StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { environmentsOf } from '../release/model/artifact.ts';
import type { Artifact } from '../release/operations.ts';
import type { ParamsOf } from '../routes/params.ts';
import type { TrailSummary } from '../trail/operations.ts';
import styles from './grid.module.css';
import { cellsOf, type GridCell, type GridGroup } from './model/flow-grid.ts';
import { readArtifacts } from './routes.ts';

interface GridProps {
  params: ParamsOf<'flow'>;
  trails: readonly TrailSummary[];
  groups: readonly GridGroup[];
}

/**
 * What the template asks for beside what there is, over many trails: a row for each trail, a column for each attestation.
 * A mark leads to its attestation.
 */
export function Grid({ params, trails, groups }: GridProps) {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  const artifacts = useQuery(readArtifacts(params));
  const shown = groups.filter(({ scope, columns }) => scope !== null || columns.length > 0);
  return (
    <Scroller className={styles['frame']}>
      <table className={styles['grid']} ref={table}>
        <caption className="visually-hidden">Trails with the state of each attestation</caption>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              Trail
            </th>
            <th scope="col" rowSpan={2}>
              State
            </th>
            {shown.map(({ scope, columns }) => (
              <th
                key={scope ?? ''}
                scope="colgroup"
                colSpan={columns.length + (scope === null ? 0 : 1)}
                className={styles['group']}
              >
                {scope === null ? 'trail' : <Text>{scope}</Text>}
              </th>
            ))}
            <th scope="col" rowSpan={2} className={styles['edge']}>
              Runs in
            </th>
            <th scope="col" rowSpan={2}>
              Commit
            </th>
            <th scope="col" rowSpan={2}>
              Last report
            </th>
          </tr>
          <tr>
            {shown.map(({ scope, columns }) => [
              scope !== null && (
                <th key={`${scope} reported`} scope="col" className={styles['edge']}>
                  reported
                </th>
              ),
              ...columns.map(({ key, name, asked }, n) => (
                <th
                  key={key}
                  scope="col"
                  className={n === 0 && scope === null ? styles['edge'] : undefined}
                  data-extra={asked ? undefined : ''}
                  title={asked ? undefined : 'The template does not ask for it'}
                >
                  <Text>{name}</Text>
                </th>
              )),
            ])}
          </tr>
        </thead>
        <tbody>
          {trails.map((trail) => (
            <Row key={trail.name} params={params} trail={trail} groups={shown}>
              {artifacts.isError ? (
                'not known'
              ) : (
                <RunsIn org={params.org} trail={trail.name} artifacts={artifacts.data} />
              )}
            </Row>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

interface RowProps {
  params: ParamsOf<'flow'>;
  trail: TrailSummary;
  groups: readonly GridGroup[];
  /** Where the artifacts of the trail run. */
  children: React.ReactNode;
}

function Row({ params, trail, groups, children }: RowProps) {
  const { name, compliance_state: word, last_modified_at: at, git_commit_info: commit } = trail;
  const cells = cellsOf(trail);
  return (
    <tr>
      <th scope="row">
        <PageLink page="trail" params={{ ...params, trail: name }} strong row>
          <Text>{name}</Text>
        </PageLink>
      </th>
      <td>
        <State state={stateOfWord(word)} />
      </td>
      {groups.map(({ scope, columns }) => [
        scope !== null && (
          <td key={`${scope} reported`} className={styles['edge']}>
            <Reported params={params} trail={trail} scope={scope} />
          </td>
        ),
        ...columns.map(({ key }, n) => (
          <td key={key} className={n === 0 && scope === null ? styles['edge'] : undefined}>
            <Cells params={params} trail={name} cells={cells.get(key) ?? []} />
          </td>
        )),
      ])}
      <td className={`${styles['edge']} ${styles['runs']}`}>{children}</td>
      <td>
        <Commit commit={commit} />
      </td>
      <td className={styles['narrow']}>
        <Time at={at} show="ago" />
      </td>
    </tr>
  );
}

const None = () => (
  <span className={styles['none']} aria-hidden="true">
    ·
  </span>
);

function Cells({ params, trail, cells }: { params: ParamsOf<'flow'>; trail: string; cells: readonly GridCell[] }) {
  if (cells.length === 0) return <None />;
  return cells.map(({ attestation, type, state }) =>
    attestation === null ? (
      <span key={`${type} ${state}`} className={styles['cell']}>
        <StateMark state={state} />
      </span>
    ) : (
      <PageLink
        key={attestation}
        page="trail"
        params={{ ...params, trail }}
        search={{ attestation_id: attestation }}
        className={styles['cell']}
      >
        <StateMark state={state} />
      </PageLink>
    ),
  );
}

/** The artifact of a trail with a name of the template: a link to its page, or that nobody reported it. */
function Reported({ params, trail, scope }: { params: ParamsOf<'flow'>; trail: TrailSummary; scope: string }) {
  const found = trail.artifacts?.find(({ artifact_name: name }) => name === scope);
  if (!found) return <None />;
  const { artifact_fingerprint: fingerprint } = found;
  if (fingerprint === null) return <StateMark state="missing" />;
  return (
    <PageLink page="artifact" params={{ ...params, fingerprint }}>
      <Id what="fingerprint" short plain>
        {fingerprint}
      </Id>
    </PageLink>
  );
}

function Commit({ commit }: { commit: TrailSummary['git_commit_info'] }) {
  const { sha1, message, author } = commitText(commit);
  if (sha1 === '') return <None />;
  return (
    <span className={styles['commit']} title={`${message}${author === '' ? '' : `, by ${author}`}`}>
      <Id what="commit" short plain>
        {sha1}
      </Id>{' '}
      <Text>{author.split(' ')[0] ?? ''}</Text>{' '}
      <span className={styles['message']}>
        <Text>{message}</Text>
      </span>
    </span>
  );
}

interface RunsInProps {
  org: string;
  trail: string;
  /** The newest reports of the flow; undefined until they are read. */
  artifacts: readonly Artifact[] | undefined;
}

/** The environments in which the artifacts of a trail run now. */
function RunsIn({ org, trail, artifacts = [] }: RunsInProps) {
  const running = artifacts.filter(({ trail_name: name }) => name === trail).flatMap((artifact) => artifact.running);
  const environments = environmentsOf(running);
  if (environments.length === 0) return <None />;
  return <EnvironmentLinks org={org} environments={environments} />;
}
