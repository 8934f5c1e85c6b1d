import { useRef } from 'react';
import { useKeys } from '../keys/keyboard.tsx';
import { Scroller } from './scroller.tsx';
import styles from './table.module.css';

export interface Column<R> {
  /** Heading. An empty one is read as `hidden` by screen readers. */
  head: string;
  cell: (row: R) => React.ReactNode;
  /** Makes the column as narrow as its content. */
  fit?: boolean;
  /** Gives the column room for sentences, also where the window is narrow. */
  wide?: boolean;
  align?: 'end';
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
 * next and the previous such link, and Enter opens it. Order and pages are the server's.
 */
export function Table<R>({ caption, columns, rows, keyOf, isUnreadable }: TableProps<R>) {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <Scroller className={styles['frame']}>
      <table className={styles['table']} ref={table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, fit, wide, align }) => (
              <th
                key={head}
                scope="col"
                data-fit={fit ? '' : undefined}
                data-wide={wide ? '' : undefined}
                data-align={align}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
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
