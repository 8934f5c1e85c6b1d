import { isDeepStrictEqual } from 'node:util';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { RequestLimits } from '#shared/callers/request-limits.ts';
import { OPERATOR } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import { setLimits } from './records/organization-fields.ts';

/**
 * Gives an organization limits in place of those of the stage, for the operator. Running functions keep to them within 30 s
 * (rules/requests.md#limits-of-organizations).
 *
 * @param limits undefined gives it the limits of the stage again
 * @returns `unknown` if there is no such organization
 */
export async function limitOrganization(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  name: string,
  limits: RequestLimits | undefined,
): Promise<'done' | 'unknown'> {
  return retrying(async () => {
    const org = await new Directory(table).organization(name);
    if (!org) return 'unknown';
    if (isDeepStrictEqual(org.limits, limits)) return 'done';
    return setLimits(table, org, limits, { at: clock.now(), actor: OPERATOR });
  });
}
