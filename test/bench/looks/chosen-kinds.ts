/**
 * Returns the kinds of subjects to measure: the one that an argument names, or all of them.
 *
 * @returns a sentence if there is no such kind
 */
export function chosenKinds(only: string | undefined, kinds: readonly string[]): readonly string[] | string {
  if (only === undefined) return kinds;
  return kinds.includes(only)
    ? [only]
    : `There is no kind '${only}'. Give one of ${kinds.join(', ')}, or none for all.`;
}
