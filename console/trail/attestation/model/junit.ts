import { count, listed } from '../../../model/words.ts';
import { numberOf, objectsOf, textOf } from './fields.ts';

/** One suite of a run of tests. A number that the report does not state is null. */
export interface Suite {
  name: string;
  total: number | null;
  failed: number;
  errors: number;
  skipped: number | null;
  /** Seconds. */
  duration: number | null;
}

export interface JunitView {
  /** `216 tests: 1 failed, 2 skipped, in 41 s.` */
  sentence: string;
  /** Tests that failed or ended with an error, as the report counts them. */
  failed: number;
  /** Suites with failures first. */
  suites: Suite[];
}

/** Returns the view of test results; null if they have another form than the one that clients send. */
export function junitView(attestation: unknown): JunitView | null {
  const results = objectsOf(attestation, 'junit_results');
  if (results === null) return null;
  const suites = results.map(suiteOf);
  if (suites.some((suite) => suite === null)) return null;
  const read = suites.filter((suite) => suite !== null);
  return {
    sentence: sentenceOf(read),
    failed: sum(read.map(failuresOf)),
    suites: read.toSorted((one, other) => failuresOf(other) - failuresOf(one)),
  };
}

const failuresOf = ({ failed, errors }: Suite): number => failed + errors;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function suiteOf(result: unknown): Suite | null {
  const [failed, errors] = [numberOf(result, 'failures'), numberOf(result, 'errors')];
  if (failed === null || errors === null) return null;
  return {
    name: textOf(result, 'name') ?? 'without a name',
    total: numberOf(result, 'total'),
    failed,
    errors,
    skipped: numberOf(result, 'skipped'),
    duration: numberOf(result, 'duration'),
  };
}

function sentenceOf(suites: readonly Suite[]): string {
  if (suites.length === 0) return 'No test ran: the report has no suite. That is not compliant.';
  const totals = suites.map(({ total }) => total);
  const tests = totals.includes(null) ? 'Tests of an unknown number' : count(sum(totals.map(Number)), 'test');
  const [failed, errors] = [sum(suites.map((suite) => suite.failed)), sum(suites.map((suite) => suite.errors))];
  const skipped = sum(suites.map((suite) => suite.skipped ?? 0));
  const parts = [
    failed > 0 && `${failed.toLocaleString('en')} failed`,
    errors > 0 && `${errors.toLocaleString('en')} ended with an error`,
    failed + errors === 0 && 'none failed',
    skipped > 0 && `${skipped.toLocaleString('en')} skipped`,
  ].filter((part) => part !== false);
  const seconds = sum(suites.map((suite) => suite.duration ?? 0));
  return `${tests}: ${listed(parts)}${seconds > 0 ? `, in ${durationText(seconds)}` : ''}.`;
}

/** `0.35 s`, `41 s`, `3 min 20 s`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(2))} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `84 tests, 1 failed`. */
export const suiteCounts = ({ total, failed, errors, skipped }: Suite): string =>
  [
    total !== null && count(total, 'test'),
    failed > 0 && `${failed} failed`,
    errors > 0 && `${errors} with an error`,
    skipped !== null && skipped > 0 && `${skipped} skipped`,
  ]
    .filter((part) => part !== false)
    .join(', ');
