import { useAnswer } from '../client/live.ts';
import { flowDaysSentence } from '../flow/model/flow-days.ts';
import { paceText } from '../model/pace.ts';
import { duration, utcDay } from '../model/time.ts';
import { DayChoices } from '../parts/control/choices.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { DailyBars } from '../parts/plot/bars.tsx';
import { Histogram } from '../parts/plot/histogram.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './frequency.module.css';
import { deploymentsIn, frequencySentence, gapsSentence, leadTimesNote, organizationDays } from './model/frequency.ts';
import type { OrganizationFrequency } from './operations.ts';
import { type frequencyRoute, readFrequency, USUAL_DAYS } from './routes.ts';

const PERIODS = [undefined, '90', '365'] as const;

/** How often the whole organization deploys, and how long its changes take. */
export default function FrequencyPage({ params, search }: PageProps<typeof frequencyRoute>) {
  const { org } = params;
  const number = Number(search.days ?? USUAL_DAYS);
  const answer = useAnswer(readFrequency(org, number));
  const days = organizationDays(answer);
  return (
    <>
      <VerdictLine subject="Frequency" context={org} sentence={frequencySentence(answer)} />
      <Panel
        title="Deployments per day"
        note="artifacts that started, in all environments"
        actions={<DayChoices page="frequency" params={params} search={search} periods={PERIODS} usual={USUAL_DAYS} />}
      >
        <div className={styles['chart']}>
          <DailyBars
            label="Deployments per day"
            noun="deployment"
            days={days.map(({ date, deployments }) => ({ date, count: deployments }))}
          />
          <Quiet>{gapsSentence(answer)}</Quiet>
        </div>
        <Environments org={org} answer={answer} />
      </Panel>
      <Panel title="Lead time" note="from the commit to the start">
        <LeadTime answer={answer} />
      </Panel>
      <Panel
        title="Time to compliance"
        note="from the begin of a trail to its last report, of trails that are compliant now"
      >
        <TimeToCompliance answer={answer} />
      </Panel>
      <Panel title="Trails per day" note="of all flows, by the day on which they began">
        <div className={styles['chart']}>
          <DailyBars
            label="Trails per day"
            noun="trail"
            days={days.map(({ date, trails }) => ({ date, count: trails }))}
          />
          <p>{flowDaysSentence(answer.trails)}</p>
        </div>
      </Panel>
      <Panel title="Days" note="with a trail that began or a deployment; the newest first, in UTC">
        <DayTable answer={answer} />
      </Panel>
      <Raw value={answer} path={`/organizations/${org}/frequency?start_ts=${answer.start_ts}`} />
    </>
  );
}

interface AnswerProps {
  answer: OrganizationFrequency;
}

const Quiet = ({ children }: { children: string }) =>
  children === '' ? null : <p className={styles['quiet']}>{children}</p>;

function Environments({ org, answer }: AnswerProps & { org: string }) {
  const { environments, more_environments: hasMore } = answer;
  if (environments.length === 0) {
    return (
      <Empty
        sentence="No environment has a snapshot yet."
        remedy={
          <>
            A deployment is counted when a reporter finds an artifact running for the first time.{' '}
            <PageLink page="connect" params={{ org }}>
              Connect a reporter
            </PageLink>
          </>
        }
      />
    );
  }
  return (
    <>
      <Table
        caption="Deployments by environment, most deployments first"
        rows={environments}
        keyOf={({ environment_name: name }) => name}
        columns={[
          {
            head: 'Environment',
            cell: ({ environment_name: env }) => (
              <PageLink page="environment" params={{ org, env }} search={{ tab: 'frequency' }} strong row>
                <Text>{env}</Text>
              </PageLink>
            ),
          },
          { head: 'Deployments', fit: true, align: 'end', cell: ({ total }) => total },
          { head: 'How often', cell: ({ total, days }) => paceText(total, days.length, 'deployment') },
          { head: 'Lead time: half within', fit: true, cell: ({ lead_times: { median } }) => timeText(median) },
          { head: '9 of 10 within', fit: true, cell: ({ lead_times: { p90 } }) => timeText(p90) },
        ]}
      />
      {hasMore && <Quiet>{`The ${environments.length} environments that changed last are counted.`}</Quiet>}
    </>
  );
}

const timeText = (seconds: number | null): string => (seconds === null ? 'not known' : duration(seconds));

function LeadTime({ answer }: AnswerProps) {
  const { environments, lead_times: times } = answer;
  if (deploymentsIn(environments) === 0) return <Empty sentence="Nothing was deployed in these days." />;
  if (times.known === 0) {
    return <Empty sentence="No report of these artifacts says when its commit was made." />;
  }
  return (
    <div className={styles['chart']}>
      <Histogram label="Lead times" noun="deployment" times={times} />
      <Quiet>{leadTimesNote(answer)}</Quiet>
    </div>
  );
}

function TimeToCompliance({ answer: { trails } }: AnswerProps) {
  const counted = trails.days.reduce((sum, day) => sum + day.compliant + day.incomplete + day.non_compliant, 0);
  if (trails.times.known === 0) return <Empty sentence="No trail that began in these days is compliant now." />;
  return (
    <div className={styles['chart']}>
      <Histogram label="Time to compliance" noun="trail" times={trails.times} />
      {counted < trails.total && <Quiet>{`The newest ${counted} trails are counted.`}</Quiet>}
    </div>
  );
}

/** The numbers of the charts, to read. */
function DayTable({ answer }: AnswerProps) {
  const rows = organizationDays(answer)
    .filter(({ trails, deployments }) => trails + deployments > 0)
    .toReversed();
  if (rows.length === 0) return <Empty sentence="Nothing began and nothing was deployed in these days." />;
  return (
    <Table
      caption="Trails and deployments by day"
      rows={rows}
      keyOf={({ date }) => date}
      columns={[
        { head: 'Day', fit: true, cell: ({ timestamp }) => utcDay(timestamp) },
        { head: 'Trails', fit: true, align: 'end', cell: ({ trails }) => trails },
        { head: 'Deployments', fit: true, align: 'end', cell: ({ deployments }) => deployments },
        { head: 'Where', cell: ({ where }) => <Text>{where}</Text> },
      ]}
    />
  );
}
