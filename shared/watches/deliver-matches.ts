import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { deliver, deliveriesTo, inForce } from '#shared/notifications/deliver.ts';
import { readActions } from '#shared/notifications/records/actions.ts';
import { readEventNames } from '#shared/notifications/records/event-names.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { matches as isTold } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import type { Table } from '#shared/table/table.ts';
import { matchList } from './records/keys.ts';
import { readMatches } from './records/matches.ts';
import { Match } from './rules/match.ts';
import { matchNotice, placeOfMatch, TRIGGER } from './rules/match-notices.ts';

/** Telling actions about matches of watches (rules/notifications.md#exposure-events). */

/** A match that was just found. */
export interface NewMatch {
  org: OrganizationId;
  match: Match;
}

/** Reads a match from the stream; null for other items. @throws ZodError if it cannot be read */
export function readNewMatch(streamed: StreamItem): NewMatch | null {
  const [id = ''] = streamed.pk.split('#');
  const org = storedId<OrganizationId>(id);
  return streamed.pk === matchList(org) ? { org, match: Match.parse(streamed.item) } : null;
}

/** Creates and queues the deliveries of matches. Repeated calls create nothing twice. */
export const deliverMatches = async (
  services: DeliveryServices,
  org: OrganizationId,
  found: readonly Match[],
): Promise<void> => deliver(services, org, await matchDeliveries(services, org, found));

/** Computes the deliveries of matches that have settled, for the sweep. @param ids of the matches */
export const settledMatchDeliveries = async (
  services: DeliveryServices,
  org: OrganizationId,
  ids: readonly string[],
): Promise<Delivery[]> =>
  ids.length === 0 ? [] : matchDeliveries(services, org, await readMatches(services.table, org, ids));

/** Computes the deliveries of matches: one for each target of each action that matches. Names are read only if there is such an action. */
export async function matchDeliveries(
  { table, clock }: Pick<DeliveryServices, 'table' | 'clock'>,
  org: OrganizationId,
  found: readonly Match[],
): Promise<Delivery[]> {
  if (found.length === 0) return [];
  const actions = await readActions(table, org);
  const wanted = found.flatMap((match) =>
    actions
      .flatMap((action) => inForce(action, match.at))
      .filter((action) => isTold(action, { trigger: TRIGGER }, placeOfMatch(match), match.at))
      .map((action) => ({ match, action })),
  );
  if (wanted.length === 0) return [];
  const namesOf = await readMatchNames(
    table,
    org,
    wanted.map(({ match }) => match),
  );
  const now = clock.now();
  return wanted.flatMap(({ match, action }) =>
    deliveriesTo(action, matchNotice(match, namesOf(match)), now, undefined),
  );
}

/** Reads the present names of what matches are about, with two calls. */
export async function readMatchNames(table: Table, org: OrganizationId, found: readonly Match[]) {
  const environments = new Set(found.flatMap(({ environment }) => environment?.id ?? []));
  const [names, heads] = await Promise.all([
    readEventNames(
      table,
      org,
      found.map(({ build }) => build.flow),
    ),
    readEnvironmentHeads(table, org, [...environments]),
  ]);
  return ({ build, environment }: Match) => ({
    org: names.org,
    flow: names.flow(build.flow),
    environment: environment && (heads.get(environment.id)?.name ?? ''),
  });
}
