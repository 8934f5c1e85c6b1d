import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../control/button.tsx';
import styles from './rows.module.css';
import { useRowKeys } from './table.tsx';

interface RowsColumn<R> {
  head: string;
  cell: (row: R) => React.ReactNode;
  /** `30%`, `8rem`. Widths are fixed, because else they would change while rows come and go. */
  width: string;
}

interface RowsProps<R> {
  caption: string;
  columns: readonly RowsColumn<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
}

/** A guess of the height of a row, until it is drawn and measured. */
const ROW = 40;
/** Up to so many rows are drawn at once, because the browser's own search and print then see them all. */
const DRAWN_AT_ONCE = 100;

/**
 * A table for one long answer: thousands of rows, of which only those in sight are drawn. Screen readers learn how many
 * there are. The page gives it a filter, because the browser's search sees only what is drawn; «Show all rows» draws them
 * all. While the page is printed, all are drawn.
 */
export function Rows<R>({ caption, columns, rows, keyOf }: RowsProps<R>) {
  const [isAll, setAll] = useState(false);
  const frame = useRef<HTMLElement>(null);
  useRowKeys(frame);
  const isPrinted = useIsPrinted();
  const drawsAll = isAll || isPrinted || rows.length <= DRAWN_AT_ONCE;
  const virtual = useVirtualizer({
    count: drawsAll ? 0 : rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const shown = drawsAll ? rows.map((_, index) => index) : items.map(({ index }) => index);
  const above = items.at(0)?.start ?? 0;
  const below = drawsAll ? 0 : virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached with the keyboard */}
      <section className={styles['frame']} ref={frame} tabIndex={0} aria-label={caption}>
        <table className={styles['table']} aria-rowcount={rows.length + 1}>
          <caption className="visually-hidden">{caption}</caption>
          <colgroup>
            {columns.map(({ head, width }) => (
              <col key={head} style={{ inlineSize: width }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(({ head }) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {/* Two empty rows stand for the rows that are not drawn, so that the scroll bar is right. */}
            {above > 0 && <Space height={above} columns={columns.length} />}
            {shown.map((index) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <DrawnRow<R>
                  key={keyOf(row)}
                  row={row}
                  index={index}
                  columns={columns}
                  measure={drawsAll ? undefined : virtual.measureElement}
                />
              );
            })}
            {below > 0 && <Space height={below} columns={columns.length} />}
          </tbody>
        </table>
      </section>
      {!drawsAll && (
        <Button look="plain" onClick={() => setAll(true)}>
          Show all {rows.length.toLocaleString('en')} rows
        </Button>
      )}
    </>
  );
}

interface DrawnRowProps<R> {
  row: R;
  index: number;
  columns: readonly RowsColumn<R>[];
  measure: ((element: HTMLElement | null) => void) | undefined;
}

/** A row that is not drawn again while others come and go. The cells hold links and times, so this is most of the work. */
const DrawnRow = memo(<R,>({ row, index, columns, measure }: DrawnRowProps<R>) => (
  <tr aria-rowindex={index + 2} data-index={index} ref={measure}>
    {columns.map(({ head, cell }) => (
      <td key={head} data-label={head}>
        {cell(row)}
      </td>
    ))}
  </tr>
  // `memo` forgets that the component is generic.
)) as <R>(props: DrawnRowProps<R>) => React.ReactNode;

/** Whether the page is being printed. The browser takes its picture when the event was handled, so it is drawn at once. */
function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setPrinted(true));
    const end = () => setPrinted(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinted;
}

const Space = ({ height, columns }: { height: number; columns: number }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the row holds nothing, and nothing in it takes the focus
  <tr aria-hidden="true" className={styles['space']}>
    <td colSpan={columns} style={{ blockSize: height }} />
  </tr>
);
