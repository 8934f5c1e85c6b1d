import { useAnswer } from '../../client/live.ts';
import { GapsPanel } from '../../expectation/gap/gaps-panel.tsx';
import { readGapsAbout } from '../../expectation/routes.ts';
import { paginationOf } from '../../model/pages.ts';
import { clockTime, dateText, duration } from '../../model/time.ts';
import { Empty } from '../../parts/page/empty.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Pager } from '../../parts/table/pager.tsx';
import { Table } from '../../parts/table/table.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { presenceSentence, silenceOfDay } from '../model/presence.ts';
import type { PresenceDay } from '../operations.ts';
import { readPresence } from '../reads.ts';
import { holesOf } from './holes.ts';
import { HourLegend, HourStrip } from './hour-strip.tsx';
import styles from './presence.module.css';

interface PresenceProps {
  params: ParamsOf<'environment'>;
  page: number | undefined;
  lastReport: number | null;
}

/** Days with the reports of each hour, and the gaps. */
export default function Presence(props: PresenceProps) {
  const { org, env } = props.params;
  // Read here, so that the gaps below do not move when the days come.
  useAnswer(readPresence(props.params, props.page));
  return (
    <>
      <Panel title="Reports" note="by hour, in UTC" rows={16}>
        <Days {...props} />
      </Panel>
      <GapsPanel org={org} subject={env} />
    </>
  );
}

/** A strip for the eye, and the same in numbers. */
function Days({ params, page, lastReport }: PresenceProps) {
  const answer = useAnswer(readPresence(params, page));
  const { gaps } = useAnswer(readGapsAbout(params.org, params.env));
  const now = useNow();
  const { days } = answer;
  if (days.length === 0) return <Empty sentence="The environment is younger than these days." />;
  const highest = Math.max(1, ...days.flatMap(({ hours }) => hours ?? []));
  const holes = holesOf(gaps, now);
  return (
    <>
      <p>{presenceSentence(days, lastReport, now)}</p>
      <Table
        caption="Days with the reports of each hour, the newest first"
        rows={days}
        keyOf={({ date }) => date}
        columns={[
          { head: 'Day', fit: true, cell: ({ date }) => dateText(date) },
          {
            head: 'Hours 0 to 24',
            wide: true,
            cell: (day) => (
              <span className={styles['cell']}>
                <HourStrip day={day} holes={holes} highest={highest} now={now} />
              </span>
            ),
          },
          {
            head: 'Reports',
            fit: true,
            align: 'end',
            cell: ({ reports }) => reports?.toLocaleString('en') ?? 'unknown',
          },
          { head: 'First to last', fit: true, cell: (day) => <FirstToLast day={day} /> },
          {
            head: 'Longest silence',
            fit: true,
            cell: (day) => <Silence day={day} lastReport={lastReport} now={now} />,
          },
        ]}
      />
      <HourLegend days={days} holes={holes} now={now} />
      <Pager pagination={paginationOf(answer)} page="environment" params={params} search={{ tab: 'gaps' }} />
    </>
  );
}

/** The clock times of a day, in UTC as its hours. */
function FirstToLast({ day: { first_at: first, last_at: last } }: { day: PresenceDay }) {
  if (first === null || last === null) return '–';
  const [from, to] = [clockTime(first, 'utc'), clockTime(last, 'utc')];
  return from === to ? from : `${from} to ${to}`;
}

function Silence({ day, lastReport, now }: { day: PresenceDay; lastReport: number | null; now: number }) {
  const silence = silenceOfDay(day, lastReport);
  if (silence === null) return '–';
  const { from, until } = silence;
  return `${duration(Math.max(0, (until ?? now) - from))}${until === null ? ', it lasts' : ''}`;
}
