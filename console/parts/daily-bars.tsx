import { count } from '../model/trail.ts';
import { Bars } from './bars.tsx';
import styles from './plot.module.css';

interface DailyBarsProps {
  label: string;
  /** What is counted: `build`. */
  noun: string;
  /** The oldest day first. */
  days: readonly { date: string; count: number }[];
}

/** Counts per day, with the first and the last day below. */
export const DailyBars = ({ label, noun, days }: DailyBarsProps) => (
  <div className={styles['days']}>
    <Bars
      label={label}
      bars={days.map(({ date, count: number }) => ({
        key: date,
        label: `${date}: ${count(number, noun)}`,
        count: number,
      }))}
    />
    <p className={styles['ends']}>
      <span>{days.at(0)?.date}</span>
      <span>{days.at(-1)?.date} UTC</span>
    </p>
  </div>
);
