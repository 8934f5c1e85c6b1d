import type { Attempt, Delivery } from '../operations.ts';

/** A mark on the axis of a delivery. */
interface AttemptMark {
  /** From 0 to 1. */
  place: number;
  outcome: Attempt['outcome'] | 'next';
  /** Seconds since the delivery was created. */
  after: number;
}

const FIRST = 1;
/** The axis reaches at least to an hour, so that quick deliveries look alike. */
const LEAST = 3600;

/** Attempts on a logarithmic axis of time, because the pauses between them grow. */
export function attemptMarks({
  created_at: created,
  next_attempt_at: next,
  attempts,
}: Pick<Delivery, 'created_at' | 'next_attempt_at' | 'attempts'>): { marks: AttemptMark[]; longest: number } {
  const all = [
    ...attempts.map(({ at, outcome }) => ({ after: Math.max(0, at - created), outcome })),
    ...(next > 0 ? [{ after: Math.max(0, next - created), outcome: 'next' as const }] : []),
  ];
  const longest = all.reduce((most, { after }) => Math.max(most, after), LEAST);
  return { longest, marks: all.map((one) => ({ ...one, place: placeOf(one.after, longest) })) };
}

/** Place of a length of time on the axis, from 0 to 1. */
const placeOf = (seconds: number, longest: number): number => Math.log1p(seconds / FIRST) / Math.log1p(longest / FIRST);

const TICKS = [
  { after: 1, label: '1 s' },
  { after: 60, label: '1 min' },
  { after: 3600, label: '1 h' },
  { after: 86_400, label: '1 d' },
  { after: 7 * 86_400, label: '7 d' },
] as const;

export const ticksWithin = (longest: number): { label: string; place: number }[] =>
  TICKS.filter(({ after }) => after <= longest).map(({ after, label }) => ({ label, place: placeOf(after, longest) }));
