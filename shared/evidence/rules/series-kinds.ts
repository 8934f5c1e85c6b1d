import { type Fingerprint, type FlowId, type Id, storedId } from '#shared/base/ids.ts';

/** The kinds of lists of this domain, as `shared/series` takes them. */

/** The catalogues of flows, of custom attestation types and of repositories. Flows and repositories have activity. */
export const FLOWS = { name: 'flow', id: storedId<FlowId> };
export const TYPES = { name: 'type', id: storedId<Id> };
export const REPOS = { name: 'repo', id: storedId<Id> };

/** The series of all attestations. */
export const ATTESTATIONS = 'attestations';
/** The series of all artifact reports. */
export const ARTIFACTS = 'artifacts';
/** The series of all builds. */
export const BUILDS = 'builds';
/** The kind of the series of {@link trailsOf}. */
const TRAILS_WITH = 'trails-with';
/** Returns the series of trails in which a fingerprint was reported. */
export const trailsOf = (fingerprint: Fingerprint): string => `${TRAILS_WITH}:${fingerprint}`;

/**
 * The attributes, single or combined, by which the entries of series can be filtered: flow (`f`), type (`y`) and repository
 * (`p`). The relay copies settled entries to one series per value.
 */
export const EVIDENCE_FACETS = {
  [ATTESTATIONS]: [['f'], ['y'], ['f', 'y']],
  [ARTIFACTS]: [['f'], ['p']],
  [BUILDS]: [['p']],
  [TRAILS_WITH]: [['f']],
};
