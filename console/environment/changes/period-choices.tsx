import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../parts/control/button.tsx';
import { fieldText } from '../../parts/form/model/instants.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { routePath } from '../../routes/route-path.ts';
import { instantText, namedBegins } from '../model/changes.ts';
import type { EnvironmentChanges } from '../operations.ts';
import period from '../period.module.css';
import type { environmentRoute } from '../routes.ts';
import styles from './changes.module.css';

interface PeriodChoicesProps {
  params: PageProps<typeof environmentRoute>['params'];
  search: PageProps<typeof environmentRoute>['search'];
  changes: EnvironmentChanges;
}

/** The period: named begins, or any two instants. Each choice stands in the address, and so can be cited. */
export function PeriodChoices({ params, search, changes }: PeriodChoicesProps) {
  const navigate = useNavigate();
  const now = useNow();
  const { from, to, last_compliant_at: green } = changes;
  const begins = [
    ...namedBegins(now),
    ...(green === null ? [] : [{ label: 'Since it was compliant', from: instantText(green) }]),
  ];
  const isCurrent = (begin: string) => search.to === undefined && begin === (search.from ?? instantText(from));
  return (
    <div className={`${period['period']} ${styles['choices']}`}>
      <nav className={period['named']} aria-label="Periods">
        {begins.map(({ label, from: begin }) => (
          <PageLink
            key={label}
            page="environment"
            params={params}
            search={{ from: begin }}
            aria-current={isCurrent(begin) ? 'page' : undefined}
            keepPlace
          >
            {label}
          </PageLink>
        ))}
        {search.to === undefined && (
          <PageLink
            page="environment"
            params={params}
            search={{ from: instantText(from), to: instantText(Math.floor(to)) }}
            keepPlace
            title="An address that always shows the same changes"
          >
            Up to now, for a reference
          </PageLink>
        )}
      </nav>
      <form
        key={`${from} ${search.to === undefined ? '' : to}`}
        className={period['dates']}
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget);
          const instant = (name: string) => instantText(Date.parse(`${given.get(name)}Z`) / 1000);
          void navigate({
            to: routePath('environment'),
            params,
            search: { from: instant('from'), to: instant('to') },
          });
        }}
      >
        <label>
          From <input type="datetime-local" name="from" required defaultValue={fieldText(from)} max={fieldText(now)} />
        </label>
        <label>
          to <input type="datetime-local" name="to" required defaultValue={fieldText(to)} />
        </label>
        <span>UTC</span>
        <Button type="submit">Show</Button>
      </form>
    </div>
  );
}
