import type { Tick } from './model/ticks.ts';
import type { Period } from './model/timeline.ts';
import styles from './plot.module.css';

/** Where an instant is in a plot, in percent of its width. So a plot fits on paper, too, which has another width. */
export const placeIn =
  ({ from, to }: Period) =>
  (at: number): number =>
    (100 * (at - from)) / (to - from);

/** Behind this percentage of the width a label would be cut off at the edge. */
const LAST_LABEL = 94;

export const Axis = ({ ticks, place }: { ticks: readonly Tick[]; place: (at: number) => number }) => (
  <svg className={styles['strip']} height="17" aria-hidden="true">
    {ticks.map(({ at, label }) => (
      <g key={at}>
        <line className={styles['mark']} x1={`${place(at)}%`} x2={`${place(at)}%`} y2="4" />
        {place(at) < LAST_LABEL && (
          <text className={styles['tick']} x={`${place(at)}%`} y="14">
            {label}
          </text>
        )}
      </g>
    ))}
  </svg>
);
