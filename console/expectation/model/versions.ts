import type { Expectation } from '../operations.ts';
import { durationText } from './durations.ts';
import { askedText } from './subjects.ts';

/** What differs between two versions: a field, and both of its values in words. */
interface Difference {
  field: string;
  before: string;
  after: string;
}

/** The scope in words: names, or tags. */
const scopeText = ({ environments, flows, tags }: Expectation['scope']): string =>
  (environments ?? flows)
    ? (environments ?? flows ?? []).toSorted().join(', ')
    : Object.entries(tags ?? {})
        .map(([name, value]) => (value === '' ? name : `${name}: ${value}`))
        .join(', ');

const FIELDS: readonly (readonly [field: string, text: (one: Expectation) => string])[] = [
  ['Kind', ({ kind }) => kind],
  ['Expected', askedText],
  ['Scope', ({ scope }) => scopeText(scope)],
  ['At least every', ({ every }) => durationText(every)],
  ['Grace', ({ grace }) => durationText(grace)],
  ['Told before it is missed', ({ due_soon: soon }) => (soon ? durationText(soon) : 'not at all')],
  ['Counts from', ({ starts_at: at }) => new Date(at * 1000).toISOString().replace('.000Z', 'Z')],
  ['Owner', ({ owner }) => owner ?? 'nobody'],
  ['Severity', ({ severity }) => severity],
  ['Archived', ({ archived }) => (archived ? 'yes' : 'no')],
];

/** The fields in which a version differs from the one before it. */
const differences = (before: Expectation, after: Expectation): Difference[] =>
  FIELDS.map(([field, text]) => ({ field, before: text(before), after: text(after) })).filter(
    (one) => one.before !== one.after,
  );

/**
 * Says what a version changed.
 *
 * @param before the version before it; absent if there is none, or if it is on another page
 * @returns a sentence where there is nothing to compare
 */
export function changeOf(before: Expectation | undefined, after: Expectation): string | Difference[] {
  if (after.unreadable) return 'The version cannot be read.';
  if (after.version === 1) return 'Created.';
  if (!before || before.unreadable) return 'The version before it is not on this page.';
  return differences(before, after);
}
