import { addError, type FieldErrors, shownInput } from '#shared/base/validation.ts';

/** More names than an answer lists need no look at their spelling. */
const MOST_NAMES = 100;

/**
 * Adds an error for each name that the endpoint does not know. The text names the known one that is spelled most like
 * it (rules/requests.md#unknown-names). The value is not shown: a caller may have sent a secret under a wrong name.
 * @param what the kind of name: `parameter`, `part`, `field`
 * @param prefix of the names in `errors`: `query.` for the query
 */
export function addUnknownNames(
  what: string,
  names: Iterable<string>,
  known: readonly string[],
  errors: FieldErrors,
  prefix = '',
): void {
  const unknown = [...new Set(names)].filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, MOST_NAMES)) {
    const shown = shownInput(name);
    const nearest = nearestTo(shown, known);
    const remedy =
      nearest === undefined ? `This endpoint takes no ${what}s` : `The nearest known ${what} is '${nearest}'`;
    addError(errors, prefix + shown, `Unknown ${what} '${shown}'. ${remedy}`);
  }
}

function nearestTo(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((one) => distance(name.toLowerCase(), one.toLowerCase()));
  return known[distances.indexOf(Math.min(...distances))];
}

/** The Levenshtein distance: how many characters must be added, removed or replaced to make one text the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, char] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, otherChar] of [...other].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (char === otherChar ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
