import { useId } from 'react';
import type { FlowDay } from '../model/flow-days.ts';
import { STATES } from '../model/states.ts';
import styles from './plot.module.css';
import { Hatching } from './timeline.tsx';

const HEIGHT = 24;
const STEP = 10;

/** A rectangle for each day, in the worst state of the day. Days without anything stay empty, unknown ones are hatched. */
export function DayStrip({ label, days }: { label: string; days: readonly FlowDay[] }) {
  const hatching = useId();
  return (
    <svg
      className={styles['dayStrip']}
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
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
          <rect className={styles['ground']} x={n * STEP + 0.5} width={STEP - 1} height={HEIGHT} />
          {state === 'unknown' && (
            <rect x={n * STEP + 0.5} width={STEP - 1} height={HEIGHT} fill={`url(#${hatching})`} />
          )}
          {state !== null && state !== 'unknown' && (
            <rect
              className={styles['block']}
              data-tone={STATES[state].tone}
              x={n * STEP + 0.5}
              width={STEP - 1}
              // Shape, too: the worse the day, the higher its block.
              y={STATES[state].tone === 'bad' ? 0 : STATES[state].tone === 'open' ? 6 : 12}
              height={STATES[state].tone === 'bad' ? HEIGHT : STATES[state].tone === 'open' ? HEIGHT - 6 : HEIGHT - 12}
            />
          )}
          <rect className={styles['touch']} x={n * STEP} width={STEP} height={HEIGHT}>
            <title>{text}</title>
          </rect>
        </g>
      ))}
    </svg>
  );
}
