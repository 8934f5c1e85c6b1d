import { useNavigate } from '@tanstack/react-router';
import { TextFilter } from '../parts/table/text-filter.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './environment-filters.module.css';
import { type environmentsRoute, SORTS, TYPES } from './routes.ts';

type Search = PageProps<typeof environmentsRoute>['search'];

const SORT_LABELS: Readonly<Record<(typeof SORTS)[number], string>> = {
  name: 'Name',
  last_changed_at: 'Last change',
  last_modified_at: 'Last report or change',
};

/** What the list shows and in which order. All choices stand in the address. */
export function Filters({ search }: { search: Search }) {
  const navigate = useNavigate();
  const choose = (name: 'type' | 'sort', value: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [name]: value || undefined, page: undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className={styles['filters']}>
      <TextFilter label="Name" value={search.q ?? ''} />
      <label>
        Type{' '}
        <select value={search.type ?? ''} onChange={({ target }) => choose('type', target.value)}>
          <option value="">all</option>
          {TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </label>
      <label>
        Order{' '}
        <select
          value={search.sort?.replace(/^-|^state$/, '') ?? ''}
          onChange={({ target }) => choose('sort', target.value)}
        >
          <option value="">What is wrong first</option>
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {SORT_LABELS[sort]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
