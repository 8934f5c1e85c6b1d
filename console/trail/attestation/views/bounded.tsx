import { useState } from 'react';
import { Button } from '../../../parts/control/button.tsx';
import styles from './views.module.css';

interface BoundedProps<R> {
  rows: readonly R[];
  /** What a filter looks in. */
  textOf: (row: R) => string;
  /** What the rows are, for the filter and for the button: `findings`. */
  what: string;
  children: (row: R) => React.ReactNode;
}

/** Rows that are drawn at once, and rows that each further click adds at most. */
const FIRST = 20;
const STEP = 1_000;

/** A list of evidence that can be long: its first rows, a filter, and a button for the others. */
export function Bounded<R>({ rows, textOf, what, children }: BoundedProps<R>) {
  const [wanted, setWanted] = useState('');
  const [most, setMost] = useState(FIRST);
  const words = wanted.trim().toLowerCase();
  const fitting = words === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(words));
  const shown = fitting.slice(0, most);
  const next = Math.min(STEP, fitting.length - most);
  return (
    <>
      {rows.length > FIRST && (
        <div className={styles['filter']}>
          <input
            type="search"
            className={styles['box']}
            aria-label={`Filter ${what}`}
            placeholder={`Filter ${what}`}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          <span className={styles['quiet']} role="status">
            {shown.length.toLocaleString('en')} of {fitting.length.toLocaleString('en')}
          </span>
        </div>
      )}
      <ul className={styles['list']}>
        {shown.map((row, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: reported rows have no id, and the list is never sorted anew
          <li key={n}>{children(row)}</li>
        ))}
      </ul>
      {next > 0 && (
        <Button onClick={() => setMost(most + next)}>
          {most + next === fitting.length
            ? `Show all ${fitting.length.toLocaleString('en')}`
            : `Show ${next.toLocaleString('en')} more of ${fitting.length.toLocaleString('en')}`}
        </Button>
      )}
    </>
  );
}
