import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react';
import { loadChunk } from '../client/new-version.ts';
import { STATES } from '../model/states.ts';
import { count } from '../model/words.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Skeleton } from '../parts/page/skeleton.tsx';
import { stepsOf } from '../parts/reasons/model.ts';
import { ReasonChain } from '../parts/reasons/reason-chain.tsx';
import styles from '../parts/table/row-filter.module.css';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { ArtifactName } from '../release/artifact-name.tsx';
import type { ParamsOf } from '../routes/params.ts';
import {
  changeWord,
  countStates,
  filtered,
  ROW_STATES,
  rowReason,
  stateOfRow,
  worstFirst,
} from './model/snapshot-rows.ts';
import type { SnapshotRow } from './operations.ts';

/** Drawing thousands of rows needs a library, which is loaded for such answers only. */
const Rows = lazy(async () => ({
  default: (await loadChunk(() => import('../parts/table/rows.tsx'))).Rows<SnapshotRow>,
}));
const MOST_AT_ONCE = 100;

interface SnapshotRowTableProps<N extends 'environment' | 'snapshot'> {
  org: string;
  rows: readonly SnapshotRow[];
  /** The page that shows the rows; its filters stand in its address. */
  page: N;
  params: ParamsOf<N>;
  search: { tab?: string | undefined; state?: string | undefined; q?: string | undefined };
}

/** The artifacts of a snapshot, those with a problem first, with counts by state as filters. */
export function SnapshotRowTable<N extends 'environment' | 'snapshot'>(props: SnapshotRowTableProps<N>) {
  const { org, rows, page, params, search } = props;
  const [text, setText] = useState(search.q ?? '');
  const wanted = useDeferredValue(text);
  const ordered = useMemo(() => worstFirst(rows), [rows]);
  const shown = useMemo(
    () => filtered(ordered, { state: search.state, text: wanted }),
    [ordered, search.state, wanted],
  );
  const counts = useMemo(() => countStates(rows), [rows]);
  if (rows.length === 0) return <Empty sentence="Nothing runs here." />;
  const stateLink = (state: (typeof ROW_STATES)[number] | undefined) => (
    <PageLink
      key={state ?? ''}
      page={page}
      params={params}
      search={{ ...search, state }}
      className={styles['state']}
      aria-current={search.state === state ? 'page' : undefined}
      keepPlace
      replace
    >
      {state === undefined ? 'All' : <State state={state} />}
      <span className={styles['number']}>
        {(state === undefined ? rows.length : counts.get(state))?.toLocaleString('en')}
      </span>
    </PageLink>
  );
  return (
    <>
      <div className={styles['filter']}>
        <nav className={styles['states']} aria-label="Artifacts by state">
          {stateLink(undefined)}
          {ROW_STATES.filter((state) => counts.get(state) !== 0).map(stateLink)}
        </nav>
        {rows.length > 5 && (
          <TextFilter label="Name, digest, trail or reason" value={search.q ?? ''} onChange={setText} />
        )}
        <span className={styles['found']} role="status">
          {shown.length < rows.length && `${count(shown.length, 'artifact')} of ${rows.length.toLocaleString('en')}`}
        </span>
      </div>
      {shown.length === 0 ? <Empty sentence="No artifact fits the filter." /> : <RowsOf org={org} rows={shown} />}
    </>
  );
}

/** A plain table of rows, or one that draws only those in sight. */
export function RowsOf({
  org,
  rows,
  showsChange = false,
}: {
  org: string;
  rows: readonly SnapshotRow[];
  showsChange?: boolean;
}) {
  const isLong = rows.length > MOST_AT_ONCE;
  const showsPlace = rows.some((row) => row.environment_name !== undefined);
  const columns = columnsOf(org, { showsChange, showsPlace, isLong });
  const shared = { caption: 'Artifacts', rows, keyOf };
  if (!isLong) return <Table {...shared} columns={columns} />;
  return (
    <Suspense fallback={<Skeleton rows={12} />}>
      <Rows {...shared} columns={columns} />
    </Suspense>
  );
}

const keyOf = ({ fingerprint, name, environment_name: env = '' }: SnapshotRow): string =>
  `${fingerprint} ${name} ${env}`;

interface Shown {
  showsChange: boolean;
  showsPlace: boolean;
  /** The rows of a long table stay low. */
  isLong: boolean;
}

function columnsOf(org: string, { showsChange, showsPlace, isLong }: Shown) {
  const columns = [
    {
      head: 'Artifact',
      width: '26%',
      sortBy: ({ name }: SnapshotRow) => name,
      cell: ({ name, fingerprint, flow_name: flow }: SnapshotRow) => (
        <ArtifactName org={org} name={name} fingerprint={fingerprint} flow={flow} />
      ),
    },
    {
      head: 'State',
      fit: true,
      width: '9rem',
      sortBy: (row: SnapshotRow) => STATES[stateOfRow(row)].word,
      cell: (row: SnapshotRow) => <State state={stateOfRow(row)} />,
    },
    { head: 'Reason', wide: true, width: 'auto', cell: (row: SnapshotRow) => <Reason row={row} isShort={isLong} /> },
    {
      head: 'Trail',
      width: '12%',
      sortBy: ({ trail_name: trail }: SnapshotRow) => trail,
      cell: ({ flow_name: flow, trail_name: trail }: SnapshotRow) =>
        flow === null || trail === null ? (
          '–'
        ) : (
          <PageLink page="trail" params={{ org, flow, trail }}>
            <Text>{trail}</Text>
          </PageLink>
        ),
    },
    {
      head: 'Instances',
      fit: true,
      sortBy: ({ instances }: SnapshotRow) => instances,
      align: 'end' as const,
      width: '5.5rem',
      cell: ({ instances }: SnapshotRow) => instances.toLocaleString('en'),
    },
    {
      head: 'Since',
      fit: true,
      width: '8rem',
      sortBy: ({ started_at: at }: SnapshotRow) => at,
      cell: ({ started_at: at }: SnapshotRow) => <Time at={at} />,
    },
  ];
  const change = {
    head: 'Against before',
    fit: true,
    width: '9rem',
    cell: ({ change: kind }: SnapshotRow) => changeWord(kind),
  };
  const place = {
    head: 'Environment',
    fit: true,
    width: '8rem',
    cell: ({ environment_name: env = '' }: SnapshotRow) => (
      <PageLink page="environment" params={{ org, env }}>
        <Text>{env}</Text>
      </PageLink>
    ),
  };
  return [
    ...columns.slice(0, 4),
    ...(showsPlace ? [place] : []),
    ...(showsChange ? [change] : []),
    ...columns.slice(4),
  ];
}

function Reason({ row, isShort }: { row: SnapshotRow; isShort: boolean }) {
  const { reasons, reasons_left_out: leftOut, allowed, flow_name: flow, state } = row;
  const steps = stepsOf(reasons);
  const reason = allowed ? 'on the allow-list of the environment' : state === false ? rowReason(row) : null;
  return (
    <>
      {reason !== null && <Text>{reason}</Text>}
      {reason === null && flow === null && 'nobody reported a build of it'}
      {/* A long table has rows of one height. */}
      {!isShort && state !== null && <ReasonChain steps={steps} leftOut={leftOut} about={row.name} />}
    </>
  );
}
