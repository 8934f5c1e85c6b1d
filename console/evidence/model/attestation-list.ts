import { count } from '../../model/words.ts';

/** Types that every organization has. Types of its own begin with `custom:`. */
export const BUILT_IN_TYPES = [
  'generic',
  'junit',
  'snyk',
  'sonar',
  'pull_request',
  'jira',
  'decision',
  'sbom',
  'provenance',
  'vsa',
  'vulns',
  'test-result',
  'vex',
  'sarif',
  'release',
  'statement',
  'override',
] as const;

interface Listed {
  is_compliant: boolean;
}

/**
 * What the list of attestations says first.
 * @param total all attestations that fit the filter; null for a list that nobody counted
 */
export function attestationListSentence(shown: readonly Listed[], total: number | null, isFiltered: boolean): string {
  if (shown.length === 0)
    return isFiltered ? 'No attestation fits the filter.' : 'Nobody has reported an attestation yet.';
  const failed = shown.filter(({ is_compliant: compliant }) => !compliant).length;
  const verdict = failed === 0 ? 'all are compliant' : `${failed} ${failed === 1 ? 'is' : 'are'} not compliant`;
  if (total === null) return `${count(shown.length, 'attestation')} on this page fit the filter: ${verdict}.`;
  const all = `${count(total, 'attestation')}${isFiltered ? ' fit the filter' : ''}`;
  return total === shown.length ? `${all}: ${verdict}.` : `${all}. Of the ${shown.length} on this page ${verdict}.`;
}

/** Filters with which the API answers pages by cursor. */
export const isScanned = (filters: {
  name?: string | undefined;
  result?: string | undefined;
  by?: string | undefined;
  control?: string | undefined;
  below?: string | undefined;
}): boolean =>
  [filters.name, filters.result, filters.by, filters.control, filters.below].some((value) => value !== undefined);
