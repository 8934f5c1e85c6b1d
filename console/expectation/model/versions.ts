import type { FieldText } from '../../parts/table/model/changes.ts';
import type { Expectation } from '../operations.ts';
import { durationText } from './durations.ts';
import { askedText } from './subjects.ts';

/** The scope in words: names, or tags. */
const scopeText = ({ environments, flows, tags }: Expectation['scope']): string =>
  (environments ?? flows)
    ? (environments ?? flows ?? []).toSorted().join(', ')
    : Object.entries(tags ?? {})
        .map(([name, value]) => (value === '' ? name : `${name}: ${value}`))
        .join(', ');

/** The fields of an expectation that its versions are compared by. */
export const VERSION_FIELDS: readonly FieldText<Expectation>[] = [
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
