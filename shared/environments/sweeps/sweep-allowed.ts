import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { createMissing } from '#shared/notifications/deliver.ts';
import { readActions } from '#shared/notifications/records/actions.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { allowedDeliveries } from '../deliver.ts';
import type { EffectsContext } from '../effects-context.ts';
import { readAllowedSince } from '../records/allowed.ts';

/** How far back a sweep reads. Entries of allow-lists have no series that would record what is handled. */
const LOOKED_BACK: Micros = 7 * 24 * 3600 * 1_000_000;

/**
 * Creates missing deliveries for settled entries of allow-lists (rules/storage.md#sweeps). Costs one Query for each
 * environment that a notification with the trigger names.
 * @returns how many deliveries were missing
 */
export async function sweepAllowed({ services }: EffectsContext, org: OrganizationId): Promise<number> {
  const { table, clock } = services;
  const actions = await readActions(table, org);
  const notifications = actions.flatMap(({ versions }) =>
    versions.filter(({ triggers }) => triggers.includes('ON_ALLOWED_ARTIFACT')),
  );
  const environments = new Set(notifications.flatMap(({ environments: ids }) => ids));
  const now = clock.now();
  const entries = await Promise.all(
    [...environments].map((environment) => readAllowedSince(table, org, environment, now - LOOKED_BACK)),
  );
  const settled = entries.flat().filter(({ added, at }) => added && at <= now - SETTLING_MICROS);
  return createMissing(services, org, await allowedDeliveries(services, org, settled, actions));
}
