import { CatchBoundary } from '@tanstack/react-router';
import { useAnswer } from '../../client/live.ts';
import { GapsPanel } from '../../expectation/gap/gaps-panel.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Panel, Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Text } from '../../parts/text/text.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import { ChangesPanel } from '../changes/changes-panel.tsx';
import styles from '../environment.module.css';
import { EnvironmentHead, useEnvironment } from '../environment-head.tsx';
import { runningRows, runningSentence, worstFirst } from '../model/snapshot-rows.ts';
import { viewOf } from '../model/view.ts';
import { type Environment, everReported, isLogical } from '../operations.ts';
import { PresencePanel } from '../presence/presence-panel.tsx';
import { readRows } from '../reads.ts';
import type { environmentRoute } from '../routes.ts';
import { SnapshotRowTable } from '../snapshot-row-table.tsx';
import { Events } from './events.tsx';
import { DaysLinks, Deployments, StatesOverTime } from './over-time.tsx';
import { Pace } from './pace.tsx';

/** The page of an environment: what runs in it now, whether that may be, and how it came to be. */
export default function EnvironmentPage({ params, search }: PageProps<typeof environmentRoute>) {
  const { org, env } = params;
  const { page = 1 } = search;
  const view = viewOf(search);
  const environment = useEnvironment(params);
  const hasSnapshot = everReported(environment);
  return (
    <>
      <EnvironmentHead
        params={params}
        environment={environment}
        current={view}
        sentence={
          hasSnapshot ? (
            <CatchBoundary getResetKey={() => env} errorComponent={() => null}>
              <Sentence params={params} environment={environment} />
            </CatchBoundary>
          ) : (
            'No report was made yet, so nothing is known of what runs here.'
          )
        }
      />
      {!hasSnapshot && view !== 'gaps' && <NoReport params={params} environment={environment} />}
      {hasSnapshot && view === 'events' && (
        <Panel title="Events" note="what started, stopped or changed, the newest first" rows={12}>
          <Events params={params} page={page} />
        </Panel>
      )}
      {view === 'gaps' &&
        (isLogical(environment) ? (
          <GapsPanel org={org} subject={env} />
        ) : (
          <PresencePanel params={params} page={search.page} lastReport={environment.last_reported_at} />
        ))}
      {hasSnapshot && view === 'frequency' && <Pace params={params} search={search} environment={environment} />}
      {hasSnapshot && view === 'changes' && (
        <Waiting key={JSON.stringify(search)} rows={10}>
          <ChangesPanel params={params} search={search} />
        </Waiting>
      )}
      {hasSnapshot && view === 'running' && (
        <>
          <div className={styles['plots']}>
            <Panel title="States" actions={<DaysLinks params={params} search={{ ...search, tab: 'running' }} />}>
              <StatesOverTime params={params} days={Number(search.days ?? 90)} />
            </Panel>
            <Panel title="Deployments" note="artifacts that started, per day">
              <Deployments params={params} />
            </Panel>
          </div>
          <Panel title="Running now" rows={8}>
            <Running params={params} search={search} />
          </Panel>
          <Raw value={environment} path={`/environments/${org}/${env}`} />
        </>
      )}
    </>
  );
}

interface Place {
  params: ParamsOf<'environment'>;
}

function Sentence({ params, environment }: Place & { environment: Environment }) {
  const rows = runningRows(useAnswer(readRows(params)));
  return <Text>{runningSentence(environment, worstFirst(rows), useNow())}</Text>;
}

function Running({ params, search }: Place & { search: PageProps<typeof environmentRoute>['search'] }) {
  const { org } = params;
  const rows = runningRows(useAnswer(readRows(params)));
  return (
    <SnapshotRowTable org={org} rows={rows} page="environment" params={params} search={{ ...search, tab: 'running' }} />
  );
}

/** Commands that report, by the type of the environment. */
function NoReport({ params: { org, env }, environment }: Place & { environment: Environment }) {
  if (environment.type === 'logical') {
    return (
      <Empty
        sentence="A logical environment shows what runs in its members. No member has reported anything yet."
        commands={[
          {
            what: 'Command-line client',
            text: `kosli join environment --physical NAME --logical ${env} --org ${org} --host ${location.origin} --api-token "$KEY"`,
          },
        ]}
      />
    );
  }
  return (
    <Empty
      sentence="A reporter in the environment sends what runs there, usually once a minute."
      commands={[
        {
          what: 'Command-line client',
          text: `kosli snapshot ${environment.type.toLowerCase()} ${env} --org ${org} --host ${location.origin} --api-token "$KEY"`,
        },
        {
          what: 'curl',
          text: `curl -X PUT ${location.origin}/api/v2/environments/${org}/${env}/report/${environment.type} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"artifacts":[{"digests":{"NAME":"FINGERPRINT"},"creationTimestamp":${Math.floor(Date.now() / 1000)}}]}'`,
        },
      ]}
    />
  );
}
