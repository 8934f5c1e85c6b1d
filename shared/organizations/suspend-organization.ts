import { isDeepStrictEqual } from 'node:util';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { OPERATOR } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import { setSuspension } from './records/organization-fields.ts';
import type { NewSuspension, Suspension } from './rules/suspension.ts';

/**
 * Suspends an organization for the operator, changes its suspension, or ends it. Running functions keep to it within 30 s
 * (rules/organizations.md#suspension).
 *
 * @param suspension undefined ends the suspension
 * @returns the suspension that holds now; `unknown` if there is no such organization
 */
export async function suspendOrganization(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  name: string,
  suspension: NewSuspension | undefined,
): Promise<Suspension | undefined | 'unknown'> {
  return retrying(async () => {
    const org = await new Directory(table).organization(name);
    if (!org) return 'unknown';
    const { since = clock.now(), ...before } = org.suspension ?? {};
    if (isDeepStrictEqual(before, { ...suspension })) return org.suspension;
    const after = suspension && { ...suspension, since };
    const outcome = await setSuspension(table, org, after, { at: clock.now(), actor: OPERATOR });
    return outcome === 'done' ? after : outcome;
  });
}
