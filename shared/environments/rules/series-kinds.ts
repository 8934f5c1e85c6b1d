import { type EnvironmentId, storedId } from '#shared/base/ids.ts';

/** The catalogue of environments, as `shared/series` takes it. */
export const ENVIRONMENTS = { name: 'environment', id: storedId<EnvironmentId> };
