import { useAnswer } from '../../client/live.ts';
import { pageOfEnvironments } from '../../environment/model/environment-list.ts';
import { paginationOf } from '../../model/pages.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { DailyBars } from '../../parts/plot/bars.tsx';
import { Histogram } from '../../parts/plot/histogram.tsx';
import { Filters, SelectFilter } from '../../parts/table/filters.tsx';
import { Pager } from '../../parts/table/pager.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { SearchOf } from '../../routes/search-params.ts';
import { TrailName } from '../artifact-cells.tsx';
import { ArtifactName } from '../artifact-name.tsx';
import { deploymentsSentence } from '../model/repos.ts';
import type { Deployment } from '../operations.ts';
import { readDeployments, readEnvironments, type repoRoute } from '../routes.ts';
import styles from './repo.module.css';

interface ReleasesProps {
  params: ParamsOf<'repo'>;
  search: SearchOf<(typeof repoRoute)['search']>;
}

/** What was deployed from the repository to an environment, and what each deployment replaced. */
export function Releases({ params, search }: ReleasesProps) {
  const { environments } = pageOfEnvironments(useAnswer(readEnvironments(params)));
  const names = environments.filter(({ type }) => type !== 'logical').map(({ name }) => name);
  const env = search.env ?? (names.includes('prod') ? 'prod' : names[0]);
  if (env === undefined) {
    return (
      <Empty
        sentence="A deployment is an artifact that starts to run in an environment. There is no environment yet."
        commands={[
          {
            what: 'Command-line client',
            text: `kosli create environment prod --type K8S --org ${params.org} --host ${location.origin} --api-token "$KEY"`,
          },
        ]}
      />
    );
  }
  return (
    <div className={styles['stack']}>
      <Filters label="Choose an environment">
        <SelectFilter
          label="Environment"
          name="env"
          value={env}
          all="choose"
          options={names.map((name) => [name, name] as const)}
        />
      </Filters>
      <Deployments params={params} search={search} env={env} />
    </div>
  );
}

function Deployments({ params, search, env }: ReleasesProps & { env: string }) {
  const answer = useAnswer(readDeployments(params, env, search));
  return (
    <>
      <p>
        <Text>{deploymentsSentence(answer)}</Text>
      </p>
      {answer.total_count > 0 && <DailyBars label="Deployments per day" noun="deployment" days={answer.days} />}
      {answer.lead_times.known > 0 && (
        <>
          <p>From the commit to the start:</p>
          <Histogram label="From the commit to the start" noun="deployment" times={answer.lead_times} />
        </>
      )}
      {answer.deployments.length === 0 ? (
        <Empty sentence="Nothing from this repository started in this environment in these days." />
      ) : (
        <DeploymentTable org={params.org} env={env} deployments={answer.deployments} />
      )}
      <Pager pagination={paginationOf(answer)} page="repo" params={params} search={search} />
    </>
  );
}

interface DeploymentTableProps {
  org: string;
  env: string;
  deployments: readonly Deployment[];
}

const DeploymentTable = ({ org, env, deployments }: DeploymentTableProps) => (
  <Table
    caption="Deployments, the newest first"
    rows={deployments}
    keyOf={({ snapshot_index: index, fingerprint }) => `${index} ${fingerprint}`}
    columns={[
      {
        head: 'Artifact',
        cell: ({ flow_name: flow, fingerprint, name }) => (
          <ArtifactName org={org} flow={flow} fingerprint={fingerprint} name={name} />
        ),
      },
      { head: 'When it started', fit: true, cell: ({ state }) => <State state={stateOfVerdict(state)} /> },
      {
        head: 'Trail',
        cell: ({ flow_name: flow, trail_name: trail }) =>
          flow === null || trail === null ? '–' : <TrailName org={org} flow={flow} trail={trail} stacked />,
      },
      {
        head: 'Commit, and the one before',
        cell: ({ git_commit: commit, replaced_commit: replaced, code_diff: diff }) => (
          <>
            <ShortCommit commit={commit} /> after <ShortCommit commit={replaced} />{' '}
            {diff !== null && <OutLink href={diff}>diff</OutLink>}
          </>
        ),
      },
      {
        head: 'After the commit',
        fit: true,
        align: 'end',
        cell: ({ lead_time: seconds }) => (seconds === null ? '–' : duration(seconds)),
      },
      {
        head: 'Started',
        fit: true,
        cell: ({ at, snapshot_index: index }) => (
          <>
            <Time at={at} />{' '}
            <PageLink page="snapshot" params={{ org, env, expression: String(index) }}>
              #{index}
            </PageLink>
          </>
        ),
      },
    ]}
  />
);

const ShortCommit = ({ commit }: { commit: string | null }) =>
  commit === null ? (
    'nothing known'
  ) : (
    <Id what="commit" short plain>
      {commit}
    </Id>
  );
