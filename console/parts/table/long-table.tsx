import { lazy, Suspense } from 'react';
import { loadChunk } from '../../client/new-version.ts';
import { Skeleton } from '../page/skeleton.tsx';
import { type Column, Table } from './table.tsx';

/** Up to so many rows are drawn at once. */
const MOST_AT_ONCE = 100;

const Rows = lazy(async () => ({ default: (await loadChunk(() => import('./rows.tsx'))).Rows }));

interface LongTableProps<R> {
  caption: string;
  columns: readonly (Column<R> & { width: string })[];
  rows: readonly R[];
  keyOf: (row: R) => string;
}

/** A table of one answer that is mostly short. Of a long one, only the rows in sight are drawn, by a file of its own. */
export function LongTable<R>(props: LongTableProps<R>) {
  if (props.rows.length <= MOST_AT_ONCE) return <Table {...props} />;
  // React forgets the type of the rows of a part that is loaded later.
  const LongRows = Rows as React.ComponentType<LongTableProps<R>>;
  return (
    <Suspense fallback={<Skeleton rows={12} />}>
      <LongRows {...props} />
    </Suspense>
  );
}
