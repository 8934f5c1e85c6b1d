import { STATES, type StateName } from '../../model/states.ts';
import styles from './plot.module.css';

interface LegendProps {
  /** The states that the plot can show. */
  states: readonly StateName[];
  /** Words that fit this plot better than those of the states. */
  words?: Partial<Record<StateName, string>>;
  /** What the axis counts, and other facts about the plot: `time in UTC`. */
  notes?: readonly string[];
}

/** What the colours of a plot mean. The shapes of a plot have the same meaning, so the legend is a help and not needed. */
export const Legend = ({ states, words = {}, notes = [] }: LegendProps) => (
  <ul className={styles['legend']} aria-label="Legend">
    {states.map((state) => (
      <li key={state}>
        <span className={styles['sample']} data-tone={STATES[state].tone} aria-hidden="true" />
        {words[state] ?? STATES[state].word.toLowerCase()}
      </li>
    ))}
    {notes.map((note) => (
      <li key={note}>{note}</li>
    ))}
  </ul>
);
