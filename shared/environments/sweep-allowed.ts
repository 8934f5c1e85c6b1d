import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readAllowedSince } from '#shared/environments/records/allowed.ts';
import { createMissing } from '#shared/notifications/deliver.ts';
import { readActions } from '#shared/notifications/records/actions.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { allowedDeliveries } from './deliver.ts';
import type { EnvironmentRelay } from './effects-context.ts';

/** Entries of allow-lists are in no series: so far back a sweep looks for those that the stream did not bring. */
const LOOKED_BACK: Micros = 7 * 24 * 3600 * 1_000_000;

/**
 * Tells of settled entries of allow-lists that the stream did not bring, where anybody waits for them: one Query for
 * each environment that such a notification names (design §2.7).
 * @returns how many deliveries were missing
 */
export async function sweepAllowed({ services }: EnvironmentRelay, org: OrganizationId): Promise<number> {
  const { table, clock } = services;
  const actions = await readActions(table, org);
  const waiting = actions.flatMap(({ versions }) =>
    versions.filter(({ triggers }) => triggers.includes('ON_ALLOWED_ARTIFACT')),
  );
  const environments = new Set(waiting.flatMap(({ environments: ids }) => ids));
  const now = clock.now();
  const entries = await Promise.all(
    [...environments].map((environment) => readAllowedSince(table, org, environment, now - LOOKED_BACK)),
  );
  const settled = entries.flat().filter(({ added, at }) => added && at <= now - SETTLING_MICROS);
  return createMissing(services, org, await allowedDeliveries(services, org, settled, actions));
}
