import { useMemo } from 'react';
import { Axis, placeIn } from './axis.tsx';
import { Legend } from './legend.tsx';
import { ticksOf } from './model/ticks.ts';
import type { Interval } from './model/timeline.ts';
import styles from './plot.module.css';
import { Strip } from './strips.tsx';
import { useWidth } from './use-width.ts';

export interface Lane {
  key: string;
  /** What the lane is about, with a link: an environment, an artifact. */
  label: React.ReactNode;
  intervals: readonly Interval[];
}

/** What happened side by side over time: a row for each environment or artifact, on one axis. */
export function Lanes({ period, lanes }: { period: { from: number; to: number }; lanes: readonly Lane[] }) {
  const [axis, width] = useWidth<HTMLDivElement>();
  const ticks = useMemo(() => ticksOf(period, Math.max(1, Math.floor(width / 110))), [period, width]);
  const states = useMemo(
    () => [...new Set(lanes.flatMap(({ intervals }) => intervals.map(({ state }) => state)))],
    [lanes],
  );
  return (
    <ul className={styles['lanes']}>
      {lanes.map(({ key, label, intervals }) => (
        <li key={key} className={styles['lane']}>
          <span>{label}</span>
          <Strip period={period} intervals={intervals} />
        </li>
      ))}
      <li className={styles['lane']} aria-hidden="true">
        <span />
        <div ref={axis}>
          <Axis ticks={ticks} place={placeIn(period)} />
        </div>
      </li>
      <li className={styles['lane']}>
        <span />
        <Legend states={states} notes={['time in UTC']} />
      </li>
    </ul>
  );
}
