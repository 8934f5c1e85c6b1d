import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../parts/control/button.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { routePath } from '../../routes/route-path.ts';
import { isoDay, namedPeriods, periodOf } from '../model/history.ts';
import period from '../period.module.css';
import type { environmentHistoryRoute } from '../routes.ts';
import styles from './history.module.css';

const DAY = 86_400;

/** The period: named ones, or any days. The last day counts as a whole. */
export function PeriodForm({ params, search }: PageProps<typeof environmentHistoryRoute>) {
  const navigate = useNavigate();
  const now = useNow();
  const periods = namedPeriods(now);
  const { from, to } = periodOf(search, now);
  return (
    <div className={`${period['period']} ${styles['choices']}`}>
      <nav className={period['named']} aria-label="Periods">
        {periods.map(({ label, ...period }) => (
          <PageLink
            key={label}
            page="environment-history"
            params={params}
            search={{ from: isoDay(period.from), to: isoDay(period.to) }}
            aria-current={period.from === from && period.to === to ? 'page' : undefined}
            keepPlace
          >
            {label}
          </PageLink>
        ))}
      </nav>
      <form
        key={`${from} ${to}`}
        className={period['dates']}
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget);
          const last = Date.parse(String(given.get('to'))) / 1000;
          void navigate({
            to: routePath('environment-history'),
            params,
            search: { from: String(given.get('from')), to: isoDay(last + DAY) },
          });
        }}
      >
        <label>
          From <input type="date" name="from" required defaultValue={isoDay(from)} max={isoDay(now)} />
        </label>
        <label>
          to <input type="date" name="to" required defaultValue={isoDay(Math.max(to - 1, from))} />
        </label>
        <span>UTC</span>
        <Button type="submit">Show</Button>
      </form>
    </div>
  );
}
