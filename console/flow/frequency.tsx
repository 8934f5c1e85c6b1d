import { useAnswer } from '../client/live.ts';
import { utcDay } from '../model/time.ts';
import { DayChoices } from '../parts/control/choices.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { DailyBars } from '../parts/plot/bars.tsx';
import { Histogram } from '../parts/plot/histogram.tsx';
import { Legend } from '../parts/plot/legend.tsx';
import { DayStrip } from '../parts/plot/strips.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { SearchOf } from '../routes/search-params.ts';
import styles from './frequency.module.css';
import { deploymentDaysText, flowDays, flowDaysSentence, trailsOfDay } from './model/flow-days.ts';
import type { FlowFrequency } from './operations.ts';
import { type flowRoute, readFrequency, readLeadTimes, STRIP_DAYS } from './routes.ts';

interface Place {
  params: ParamsOf<'flow'>;
}

interface FrequencyProps extends Place {
  search: SearchOf<(typeof flowRoute)['search']>;
}

/** The worst state of each of the last days, above the trails. */
export function DaysOfTrails({ params }: Place) {
  const { trails } = useAnswer(readFrequency(params, STRIP_DAYS));
  return (
    <div className={styles['strip']}>
      <p>{flowDaysSentence(trails)}</p>
      <DayStrip label="Worst state of the trails of each day" days={flowDays(trails)} />
      <p className={styles['ends']}>
        <span>{utcDay(trails.days.at(0)?.timestamp ?? 0)}</span>
        <span>today, UTC</span>
      </p>
      <Legend
        states={['compliant', 'incomplete', 'non-compliant']}
        notes={['one block per day: its worst trail', 'hatched: not counted']}
      />
    </div>
  );
}

/** How often trails of the flow begin, and how often its artifacts are deployed. */
export function Frequency({ params, search }: FrequencyProps) {
  const days = Number(search.days ?? STRIP_DAYS);
  return (
    <>
      <Panel
        title="Trails per day"
        actions={<DayChoices page="flow" params={params} search={search} periods={PERIODS} usual={STRIP_DAYS} />}
        rows={4}
      >
        <TrailsPerDay params={params} days={days} />
      </Panel>
      <Panel
        title="Time to compliance"
        note="from the begin of a trail to its last report, of trails that are compliant now"
        rows={4}
      >
        <TimeToCompliance params={params} days={days} />
      </Panel>
      <Panel title="Deployments per day" note="artifacts of the flow that started, by environment" rows={4}>
        <Deployments params={params} days={days} />
      </Panel>
      <Panel title="Lead time" note="from the commit to the start, in the environment with most deployments" rows={4}>
        <LeadTimes params={params} days={days} />
      </Panel>
      <Panel title="Days" note="with a trail that began or a deployment; the newest first, in UTC" rows={8}>
        <DayTable params={params} days={days} />
      </Panel>
    </>
  );
}

const PERIODS = [undefined, '90', '365'] as const;

interface DaysProps extends Place {
  days: number;
}

function TrailsPerDay({ params, days }: DaysProps) {
  const { trails } = useAnswer(readFrequency(params, days));
  return (
    <div className={styles['strip']}>
      <DailyBars
        label="Trails per day"
        noun="trail"
        days={trails.days.map((day) => ({ date: day.date, count: trailsOfDay(day) }))}
      />
      <p>{flowDaysSentence(trails)}</p>
    </div>
  );
}

function TimeToCompliance({ params, days }: DaysProps) {
  const { trails } = useAnswer(readFrequency(params, days));
  const { times, total } = trails;
  if (!times || times.known === 0) return <Empty sentence="No trail that began in these days is compliant now." />;
  const counted = trails.days.reduce((sum, day) => sum + trailsOfDay(day), 0);
  return (
    <>
      <Histogram label="Time to compliance" noun="trail" times={times} />
      {counted < total && <p className={styles['quiet']}>The newest {counted} trails are counted.</p>}
    </>
  );
}

function Deployments({ params, days }: DaysProps) {
  const { environments, more_environments: hasMore } = useAnswer(readFrequency(params, days));
  if (environments.length === 0) {
    return (
      <Empty
        sentence="No artifact of this flow has run in an environment yet."
        remedy="A deployment is counted when a reporter finds the digest of an artifact running for the first time."
      />
    );
  }
  return (
    <div className={styles['environments']}>
      {environments.map((one) => (
        <div key={one.environment_name} className={styles['environment']}>
          <h3>
            <PageLink page="environment" params={{ org: params.org, env: one.environment_name }}>
              <Text>{one.environment_name}</Text>
            </PageLink>
          </h3>
          <DailyBars label={`Deployments per day in ${one.environment_name}`} noun="deployment" days={one.days} />
          <p className={styles['quiet']}>{deploymentDaysText(one)}</p>
        </div>
      ))}
      {hasMore && <p className={styles['quiet']}>The flow ran in more environments. 20 of them are shown.</p>}
    </div>
  );
}

function LeadTimes({ params, days }: DaysProps) {
  const { environments, start_ts: from } = useAnswer(readFrequency(params, days));
  const [most] = environments;
  if (!most || most.total === 0) return <Empty sentence="No artifact of this flow was deployed in these days." />;
  return <LeadTimesIn params={params} env={most.environment_name} from={from} />;
}

function LeadTimesIn({ params, env, from }: Place & { env: string; from: number }) {
  const { lead_times: times } = useAnswer(readLeadTimes(params, env, from));
  return (
    <>
      <h3>
        <Text>{env}</Text>
      </h3>
      {times.known === 0 ? (
        <p className={styles['quiet']}>No report of these artifacts says when its commit was made.</p>
      ) : (
        <Histogram label={`Lead times in ${env}`} noun="deployment" times={times} />
      )}
    </>
  );
}

/** The same numbers to read, and the way to the trails of a day. */
function DayTable({ params, days }: DaysProps) {
  const rows = rowsOf(useAnswer(readFrequency(params, days)));
  if (rows.length === 0) return <Empty sentence="Nothing began and nothing was deployed in these days." />;
  return (
    <Table
      caption="Trails and deployments by day"
      rows={rows}
      keyOf={({ date }) => date}
      columns={[
        {
          head: 'Day',
          fit: true,
          cell: ({ date, timestamp }) => (
            <PageLink page="flow" params={params} search={{ from: date, to: date }} strong row>
              {utcDay(timestamp)}
            </PageLink>
          ),
        },
        { head: 'Trails', fit: true, align: 'end', cell: trailsOfDay },
        { head: 'Compliant', fit: true, align: 'end', cell: ({ compliant }) => compliant },
        { head: 'Incomplete', fit: true, align: 'end', cell: ({ incomplete }) => incomplete },
        { head: 'Not compliant', fit: true, align: 'end', cell: ({ non_compliant: failed }) => failed },
        { head: 'Deployments', cell: ({ deployments }) => <Text>{deployments}</Text> },
      ]}
    />
  );
}

function rowsOf({ trails, environments }: FlowFrequency) {
  return trails.days
    .map((day, n) => ({
      ...day,
      deployments: environments
        .flatMap(({ environment_name: name, days }) => {
          const number = days[n]?.count ?? 0;
          return number === 0 ? [] : [`${number} in ${name}`];
        })
        .join(', '),
    }))
    .filter((day) => trailsOfDay(day) > 0 || day.deployments !== '')
    .toReversed();
}
