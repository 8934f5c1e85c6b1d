/**
 * The verdict of an assert: that of the policies or the allow-list, and without them that of the flows
 * (rules/lookups.md#assert-scopes).
 *
 * @param decided null if neither policies nor an allow-list decide
 * @returns null if no flow has the artifact either
 */
export function assertedVerdict(decided: boolean | null, flows: readonly { compliant: boolean }[]): boolean | null {
  if (decided !== null) return decided;
  return flows.length === 0 ? null : flows.every(({ compliant }) => compliant);
}
