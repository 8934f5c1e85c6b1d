import { useLocation } from '@tanstack/react-router';
import { useRef } from 'react';
import { searchFromText } from '../../routes/search-params.ts';
import { useKeys } from '../keys/keyboard.tsx';
import {
  nextOrder,
  type Order,
  ordered,
  orderFrom,
  type ServerOrder,
  type SortValue,
  serverOrder,
} from './model/order.ts';
import { Scroller } from './scroller.tsx';
import styles from './table.module.css';
import { useSearchChange } from './use-search-change.ts';

export interface Column<R> {
  /** Heading. An empty one is read as `hidden` by screen readers. */
  head: string;
  cell: (row: R) => React.ReactNode;
  /** Makes the column as narrow as its content. */
  fit?: boolean;
  /** Gives the column room for sentences, also where the window is narrow. */
  wide?: boolean;
  align?: 'end';
  /** Makes the heading order the rows by this value. Only where the table has all rows, and not one page of many. */
  sortBy?: (row: R) => SortValue;
  /** Makes the heading order the list by the service, over all of its pages. */
  serverSort?: ServerOrder | undefined;
  /** Whether the first column is one of several sides, so that its heading is needed in narrow windows too. */
  isSide?: boolean;
}

interface TableProps<R> {
  /** What the table holds, for screen readers. */
  caption: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  /** A row that could not be read is struck through. */
  isUnreadable?: (row: R) => boolean;
}

/**
 * Rows of records. The first column is the name of the row and holds its link (`<PageLink row>`). `j` and `k` go to the
 * next and the previous such link, and Enter opens it. Pages are the server's, and so is the order, unless a heading with `sortBy` was pressed.
 */
export function Table<R>({ caption, columns, rows, keyOf, isUnreadable }: TableProps<R>) {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  const { order: ordering, sort } = searchFromText(useLocation({ select: ({ searchStr }) => searchStr }));
  const order = orderFrom(ordering);
  const by = columns.find(({ head }) => head === order?.head)?.sortBy;
  const shown = order && by ? ordered(rows, by, order.isDescending) : rows;
  return (
    <Scroller className={styles['frame']}>
      <table className={styles['table']} ref={table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, fit, wide, align, sortBy, serverSort }) => (
              <th
                key={head}
                scope="col"
                data-fit={fit ? '' : undefined}
                data-wide={wide ? '' : undefined}
                data-align={align}
                aria-sort={serverSort ? serverOrder(serverSort, sort).direction : sortBy && sortOf(order, head)}
              >
                {serverSort ? (
                  <SortButton
                    head={head}
                    direction={serverOrder(serverSort, sort).direction}
                    change={{ sort: serverOrder(serverSort, sort).next }}
                  />
                ) : sortBy ? (
                  <SortButton head={head} direction={sortOf(order, head)} change={{ order: nextOrder(order, head) }} />
                ) : (
                  head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)} className={isUnreadable?.(row) ? styles['unreadable'] : undefined}>
              {columns.map(({ head, cell, fit, wide, align, isSide }, n) =>
                n === 0 ? (
                  <th key={head} scope="row" data-label={isSide ? head : undefined} data-fit={fit ? '' : undefined}>
                    <div className={styles['content']}>{cell(row)}</div>
                  </th>
                ) : (
                  <td
                    key={head}
                    data-label={head}
                    data-fit={fit ? '' : undefined}
                    data-wide={wide ? '' : undefined}
                    data-align={align}
                  >
                    <div className={styles['content']}>{cell(row)}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

const sortOf = (order: Order | undefined, head: string): 'ascending' | 'descending' | 'none' => {
  if (order?.head !== head) return 'none';
  return order.isDescending ? 'descending' : 'ascending';
};

interface SortButtonProps {
  head: string;
  direction: 'ascending' | 'descending' | 'none';
  /** What a press changes in the address. */
  change: Readonly<Record<string, string | undefined>>;
}

/** A heading that orders the rows. The order stands in the address. */
function SortButton({ head, direction, change }: SortButtonProps) {
  const apply = useSearchChange();
  return (
    <button type="button" className={styles['sort']} onClick={() => apply(change)}>
      {head}
      <span aria-hidden="true">{direction === 'none' ? '↕' : direction === 'ascending' ? '↑' : '↓'}</span>
    </button>
  );
}

/** Lets `j` and `k` move the focus over the links with `data-row` of the page that an element is part of. */
export function useRowKeys(within: React.RefObject<HTMLElement | null>): void {
  const move = (step: number) => {
    // A page may have several tables. The keys go through all of them, whichever table was drawn last.
    const page = within.current?.closest('main') ?? within.current;
    const links = [...(page?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const { activeElement: focused } = document;
    const at = focused instanceof HTMLElement ? links.indexOf(focused) : -1;
    const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1);
    links[next]?.focus();
  };
  useKeys({
    j: { does: 'Next row', run: () => move(1) },
    k: { does: 'Previous row', run: () => move(-1) },
  });
}
