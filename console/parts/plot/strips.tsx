import { useId, useMemo } from 'react';
import { STATES, type StateName } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import { blocksOf, type Interval, merged, timeByState } from './model/timeline.ts';
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

const DAY_HEIGHT = 24;
const DAY_STEP = 10;

interface Day {
  key: string;
  label: string;
  /** Null if nothing happened. */
  state: StateName | null;
}

/** A rectangle for each day, in the worst state of the day. Days without anything stay empty, unknown ones are hatched. */
export function DayStrip({ label, days }: { label: string; days: readonly Day[] }) {
  const hatching = useId();
  return (
    <svg
      className={styles['dayStrip']}
      viewBox={`0 0 ${days.length * DAY_STEP} ${DAY_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${days
        .filter(({ state }) => state !== null)
        .map((day) => day.label)
        .join('; ')}`}
    >
      <Hatching id={hatching} />
      {days.map(({ key, label: text, state }, n) => (
        <g key={key}>
          <rect className={styles['ground']} x={n * DAY_STEP + 0.5} width={DAY_STEP - 1} height={DAY_HEIGHT} />
          {state === 'unknown' && (
            <rect x={n * DAY_STEP + 0.5} width={DAY_STEP - 1} height={DAY_HEIGHT} fill={`url(#${hatching})`} />
          )}
          {state !== null && state !== 'unknown' && (
            <rect
              className={styles['block']}
              data-tone={STATES[state].tone}
              x={n * DAY_STEP + 0.5}
              width={DAY_STEP - 1}
              // Shape, too: the worse the day, the higher its block.
              y={STATES[state].tone === 'bad' ? 0 : STATES[state].tone === 'open' ? 6 : 12}
              height={
                STATES[state].tone === 'bad'
                  ? DAY_HEIGHT
                  : STATES[state].tone === 'open'
                    ? DAY_HEIGHT - 6
                    : DAY_HEIGHT - 12
              }
            />
          )}
          <rect className={styles['touch']} x={n * DAY_STEP} width={DAY_STEP} height={DAY_HEIGHT}>
            <title>{text}</title>
          </rect>
        </g>
      ))}
    </svg>
  );
}

/** The ground where nothing is known. */
export const Hatching = ({ id }: { id: string }) => (
  <defs>
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path className={styles['grid']} d="M0 0V6" />
    </pattern>
  </defs>
);
