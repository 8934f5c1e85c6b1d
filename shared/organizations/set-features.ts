import { retrying } from '#shared/base/retry.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { BETA_FEATURES, type Feature } from '#shared/callers/roles.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { OPERATOR, stampOf } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import { setFeatures } from './records/organization-fields.ts';

export const SET_FEATURES: Uses = { writes: ['@ORG', 'AUDIT'] };

/**
 * Switches all beta features of the author's organization at once (rules/organizations.md#beta-features).
 *
 * @throws ServiceError `refused` if the organization does not exist any more
 */
export async function setBetaFeatures({ table }: Pick<Stores, 'table'>, by: Author<void>, isOn: boolean) {
  const { org, caller, receivedAt } = by;
  const beta: readonly Feature[] = BETA_FEATURES;
  await retrying(async () => {
    // The organization that authentication remembers can be up to 30 seconds old.
    const current = await new Directory(table).organization(org.name);
    if (!current) throw permissionDenied();
    const others = current.features.filter((feature) => !beta.includes(feature));
    const features = isOn ? [...others, ...beta] : others;
    if (current.features.length === features.length) return storeClaim(table, by.claim());
    return setFeatures(table, current, features, stampOf(caller, receivedAt), by.claim());
  });
}

/**
 * Switches one feature for the operator. Running functions use the new value within 30 s
 * (rules/organizations.md#trust-times).
 *
 * @returns `unknown` if there is no such organization; `again` if another writer changed its features at the same time
 */
export async function setFeature(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  name: string,
  feature: Feature,
  isOn: boolean,
): Promise<'done' | 'again' | 'unknown'> {
  const org = await new Directory(table).organization(name);
  if (!org) return 'unknown';
  if (org.features.includes(feature) === isOn) return 'done';
  const features = isOn ? [...org.features, feature] : org.features.filter((other) => other !== feature);
  return setFeatures(table, org, features, { at: clock.now(), actor: OPERATOR });
}
