import { useMemo } from 'react';
import { STATES } from '../model/states.ts';
import { duration } from '../model/time.ts';
import { blocksOf, type Interval, merged, timeByState } from '../model/timeline.ts';
import styles from './plot.module.css';

interface StripProps {
  period: { from: number; to: number };
  intervals: readonly Interval[];
}

/** Columns of a strip in a row of a table. It is stretched to the width of its cell. */
const COLUMNS = 120;
const HEIGHT = 16;

/** The states of something over time, small: for rows of a table. Screen readers hear how long each state held. */
export function Strip({ period, intervals }: StripProps) {
  const blocks = useMemo(() => blocksOf(merged(intervals), period, COLUMNS), [intervals, period]);
  const times = [...timeByState(intervals, period)].map(
    ([state, seconds]) => `${STATES[state].word} ${duration(seconds)}`,
  );
  return (
    <svg
      className={styles['strip']}
      height={HEIGHT}
      viewBox={`0 0 ${COLUMNS} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={times.join(', ') || 'Nothing is known of this time'}
    >
      <rect className={styles['ground']} width={COLUMNS} height={HEIGHT} />
      {blocks.map(({ x, width, state }) => (
        <rect
          key={x}
          className={styles['block']}
          data-tone={STATES[state].tone}
          x={x}
          width={width}
          y={STATES[state].tone === 'bad' ? 0 : 3}
          height={STATES[state].tone === 'bad' ? HEIGHT : HEIGHT - 6}
        />
      ))}
    </svg>
  );
}
