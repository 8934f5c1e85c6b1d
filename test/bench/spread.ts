import { quantile } from './timing.ts';

/** A figure with its spread over the rounds of a measurement: the median and the quartiles. */
export interface Spread {
  median: number;
  /** A quarter of the rounds had less. */
  low: number;
  /** A quarter of the rounds had more. */
  high: number;
}

export const spreadOf = (rounds: readonly number[]): Spread => ({
  median: quantile(rounds, 0.5),
  low: quantile(rounds, 0.25),
  high: quantile(rounds, 0.75),
});

/** Writes a figure as `median (low–high)`. */
export const spreadText = ({ median, low, high }: Spread, digits: number): string =>
  `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
