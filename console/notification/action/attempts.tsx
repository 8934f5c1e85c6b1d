import { duration } from '../../model/time.ts';
import { attemptText } from '../model/actions.ts';
import { attemptMarks, ticksWithin } from '../model/attempts.ts';
import type { Delivery } from '../operations.ts';
import styles from './attempts.module.css';

interface AttemptsProps {
  delivery: Pick<Delivery, 'created_at' | 'next_attempt_at' | 'attempts'>;
}

const HEIGHT = 32;
const AXIS = 12;

/** The attempts of a delivery on a logarithmic axis of time: a cross for each that failed, a circle for the next one. */
export function Attempts({ delivery }: AttemptsProps) {
  const { marks, longest } = attemptMarks(delivery);
  const texts = marks.map(({ outcome, after }, n) => {
    const attempt = delivery.attempts[n];
    return `after ${duration(after)}: ${attempt ? attemptText(attempt) : outcome}`;
  });
  return (
    <svg className={styles['axis']} height={HEIGHT} role="img" aria-label={`Attempts: ${texts.join('; ') || 'none'}`}>
      <line className={styles['line']} x1="0" x2="100%" y1={AXIS} y2={AXIS} />
      {ticksWithin(longest).map(({ label, place }) => (
        <g key={label}>
          <line className={styles['line']} x1={at(place)} x2={at(place)} y1={AXIS - 3} y2={AXIS + 3} />
          <text className={styles['tick']} x={at(place)} y={HEIGHT - 4}>
            {label}
          </text>
        </g>
      ))}
      {marks.map(({ place, outcome }, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts are known by their place in the row
        <svg key={n} x={at(place)} y={AXIS} overflow="visible">
          <title>{texts[n]}</title>
          {outcome === 'next' && <circle className={styles['next']} r="4" />}
          {outcome === 'delivered' && <circle className={styles['good']} r="4.5" />}
          {outcome !== 'next' && outcome !== 'delivered' && <path className={styles['bad']} d="M-4-4 4 4M4-4-4 4" />}
        </svg>
      ))}
    </svg>
  );
}

/** A margin of two percent at both ends, so that no mark is cut off. */
const at = (place: number): string => `${(2 + 92 * place).toFixed(2)}%`;
