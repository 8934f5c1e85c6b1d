import { useNavigate } from '@tanstack/react-router';
import { useAnswer } from '../../client/live.ts';
import { DayChoices } from '../../parts/control/choices.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { DailyBars } from '../../parts/plot/bars.tsx';
import { Timeline } from '../../parts/plot/timeline.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import { routePath } from '../../routes/route-path.ts';
import styles from '../environment.module.css';
import { lastDays, snapshotIntervals } from '../model/environment-timeline.ts';
import { frequencyText } from '../model/frequency.ts';
import { MOST_SNAPSHOTS, readFrequency, readSummaries } from '../reads.ts';
import type { environmentRoute } from '../routes.ts';

interface Place {
  params: ParamsOf<'environment'>;
}

/** The newest snapshots on a time axis. Older ones are on the page of the history. */
export function StatesOverTime({ params, days }: Place & { days: number }) {
  const { env } = params;
  const navigate = useNavigate();
  const summaries = useAnswer(readSummaries(params));
  const period = lastDays(days, useNow());
  const stretches = snapshotIntervals(summaries, period).map(({ index, ...interval }) => ({
    ...interval,
    key: String(index),
    label: `#${index}`,
    open: () => void navigate({ to: routePath('snapshot'), params: { ...params, expression: String(index) } }),
  }));
  return (
    <>
      <Timeline label={`States of ${env} in the last ${days} days`} period={period} stretches={stretches} />
      {summaries.length === MOST_SNAPSHOTS && (
        <p className={styles['quiet']}>
          The newest {MOST_SNAPSHOTS} snapshots are shown.{' '}
          <PageLink page="environment-history" params={params}>
            Earlier periods
          </PageLink>
        </p>
      )}
    </>
  );
}

const PERIODS = ['7', '30', undefined, '365'] as const;

/** The length of the time axis. */
export const DaysLinks = ({ params, search }: Place & { search: PageProps<typeof environmentRoute>['search'] }) => (
  <DayChoices page="environment" params={params} search={search} periods={PERIODS} usual={90} />
);

export function Deployments({ params }: Place) {
  const frequency = useAnswer(readFrequency(params));
  return (
    <div className={styles['bars']}>
      <DailyBars label="Deployments per day" noun="deployment" days={frequency.deployments} />
      <p className={styles['quiet']}>{frequencyText(frequency)}</p>
    </div>
  );
}
