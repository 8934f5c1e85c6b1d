import { STATES, type StateName } from '../../model/states.ts';
import styles from './state.module.css';

interface StateProps {
  state: StateName;
  /** Replaces the word of the state: `✓ 09:03`. */
  children?: React.ReactNode;
  /** Draws a ground behind the state, for the place where it is the most important fact. */
  chip?: boolean;
}

/** A state: its mark, its word and its colour. */
export function State({ state, children, chip = false }: StateProps) {
  const { mark, word, tone } = STATES[state];
  return (
    <span className={chip ? `${styles['state']} ${styles['chip']}` : styles['state']} data-tone={tone}>
      <span className={styles['mark']} aria-hidden="true">
        {mark}
      </span>
      <span className={styles['word']}>
        {children === undefined ? (
          word
        ) : (
          <>
            <span className="visually-hidden">{word}: </span>
            {children}
          </>
        )}
      </span>
    </span>
  );
}

/** Only the mark, for a place where many states stand side by side. Screen readers hear the word. */
export function StateMark({ state }: { state: StateName }) {
  const { mark, word, tone } = STATES[state];
  return (
    <span className={styles['state']} data-tone={tone} title={word}>
      <span className={styles['mark']} aria-hidden="true">
        {mark}
      </span>
      <span className="visually-hidden">{word}</span>
    </span>
  );
}
