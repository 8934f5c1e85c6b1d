import type { Duration } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readRefreshAge } from '../records/public-root.ts';

/**
 * Says how old the public root is, for the alarm (rules/verified-evidence.md#refresh).
 *
 * @returns how long ago a refresh succeeded, or was tried first if none did; 0 if none was tried
 */
export const ageOfPublicRoot = async ({
  table,
  clock,
}: Pick<Stores, 'table' | 'clock'>): Promise<{ oldest: Duration }> => ({
  oldest: (await readRefreshAge(table, clock.now())) ?? 0,
});
