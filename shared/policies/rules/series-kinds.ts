import { type PolicyId, storedId } from '#shared/base/ids.ts';

/** The catalogue of environment policies, as `shared/series` takes it. */
export const POLICIES = { name: 'policy', id: storedId<PolicyId> };
