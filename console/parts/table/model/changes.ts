/** A field of a record, and its value in words. */
export type FieldText<R> = readonly [field: string, text: (record: R) => string];

/** What differs between two versions: a field, and both of its values in words. */
interface Difference {
  field: string;
  before: string;
  after: string;
}

/** What every version of a record says. */
export interface Version {
  version: number;
  unreadable?: boolean | undefined;
}

/** The fields in which a version differs from the one before it. */
const differences = <R>(fields: readonly FieldText<R>[], before: R, after: R): Difference[] =>
  fields
    .map(([field, text]) => ({ field, before: text(before), after: text(after) }))
    .filter((one) => one.before !== one.after);

/**
 * Says what a version changed.
 *
 * @param before the version before it; absent if there is none, or if it is on another page
 * @returns a sentence where there is nothing to compare
 */
export function changeOf<R extends Version>(
  fields: readonly FieldText<R>[],
  before: R | undefined,
  after: R,
): string | Difference[] {
  if (after.unreadable) return 'The version cannot be read.';
  if (after.version === 1) return 'Created.';
  if (!before || before.unreadable) return 'The version before it is not on this page.';
  return differences(fields, before, after);
}
