import { useAnswer } from '../../client/live.ts';
import { timesFrom } from '../../model/pace.ts';
import { Empty } from '../../parts/page/empty.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { DailyBars } from '../../parts/plot/bars.tsx';
import { Histogram } from '../../parts/plot/histogram.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import styles from '../environment.module.css';
import { complianceTimes } from '../model/compliance-times.ts';
import { lastDays } from '../model/environment-timeline.ts';
import { frequencyText } from '../model/frequency.ts';
import { type Environment, isLogical } from '../operations.ts';
import { MOST_SNAPSHOTS, readFrequency, readPace, readSummaries } from '../reads.ts';
import type { environmentRoute } from '../routes.ts';
import { DaysLinks } from './over-time.tsx';

interface PaceProps {
  params: ParamsOf<'environment'>;
  search: PageProps<typeof environmentRoute>['search'];
  environment: Environment;
}

/** How often something is deployed in an environment, how long it takes from the commit, and how long failures last. */
export function Pace({ params, search, environment }: PaceProps) {
  const days = Number(search.days ?? 90);
  const Deployed = isLogical(environment) ? DeployedInMembers : DeployedHere;
  return (
    <>
      <Panel
        title="Deployments per day"
        note="artifacts that started"
        actions={<DaysLinks params={params} search={{ ...search, tab: 'frequency' }} />}
        rows={4}
      >
        <Deployed params={params} days={days} />
      </Panel>
      {!isLogical(environment) && (
        <Panel title="Lead time" note="from the commit to the start" rows={4}>
          <LeadTime params={params} days={days} />
        </Panel>
      )}
      <Panel
        title="Time to compliance"
        note="from the first snapshot that is not compliant to the next compliant one"
        rows={2}
      >
        <TimeToCompliance params={params} days={days} />
      </Panel>
    </>
  );
}

interface DaysProps {
  params: ParamsOf<'environment'>;
  days: number;
}

function DeployedHere({ params, days }: DaysProps) {
  const { days: deployments, total_count: total } = useAnswer(readPace(params, days));
  return <Bars deployments={deployments} total={total} />;
}

function DeployedInMembers({ params, days }: DaysProps) {
  const { deployments, total } = useAnswer(readFrequency(params, days));
  return <Bars deployments={deployments} total={total} />;
}

const Bars = (frequency: Parameters<typeof frequencyText>[0]) => (
  <div className={styles['bars']}>
    <DailyBars label="Deployments per day" noun="deployment" days={frequency.deployments} />
    <p>{frequencyText(frequency)}</p>
  </div>
);

function LeadTime({ params, days }: DaysProps) {
  const { lead_times: times, total_count: total } = useAnswer(readPace(params, days));
  if (total === 0) return <Empty sentence="Nothing was deployed in these days." />;
  if (times.known === 0) return <Empty sentence="No report of these artifacts says when its commit was made." />;
  return <Histogram label="Lead times" noun="deployment" times={times} />;
}

function TimeToCompliance({ params, days }: DaysProps) {
  const snapshots = useAnswer(readSummaries(params));
  const { from } = lastDays(days, useNow());
  const times = complianceTimes(snapshots, from);
  const isNow = snapshots.some(({ to, state }) => to === 0 && state === false);
  return (
    <>
      {times.length === 0 ? (
        <Empty sentence={`${isNow ? 'It is not compliant now, and no' : 'No'} failure ended in ${days} days.`} />
      ) : (
        <Histogram label="Time to compliance" noun="failure" times={timesFrom(times)} />
      )}
      {snapshots.length === MOST_SNAPSHOTS && (
        <p className={styles['quiet']}>Only the newest {MOST_SNAPSHOTS} snapshots are counted.</p>
      )}
    </>
  );
}
