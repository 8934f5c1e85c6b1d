import { useAnswer } from '../client/live.ts';
import { utcDay } from '../environment/model/history.ts';
import { DayChoices } from '../parts/control/choices.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { DailyBars } from '../parts/plot/bars.tsx';
import { DayStrip } from '../parts/plot/strips.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { SearchOf } from '../routes/search-params.ts';
import styles from './frequency.module.css';
import { deploymentDaysText, flowDays, flowDaysSentence, trailsOfDay } from './model/flow-days.ts';
import type { FlowFrequency } from './operations.ts';
import { type flowRoute, readFrequency, STRIP_DAYS } from './routes.ts';

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
      <Panel title="Deployments per day" note="artifacts of the flow that started, by environment" rows={4}>
        <Deployments params={params} days={days} />
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
