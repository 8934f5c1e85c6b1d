import type { FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Clock, latestOf, type Micros } from '#shared/base/time.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Pin } from '#shared/evaluations/records/evaluations.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { readBesideFlow, readTrailHead } from '#shared/evidence/records/trails.ts';
import { unknownTrail } from '#shared/evidence/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

const TRAILS_AT_ONCE = 32;

interface FoundTrail {
  flow: { id: FlowId; name: FlowName };
  trail: TrailName;
  /** Id of the trail, and number and time of its last moment. */
  head: { id: TrailId; number: number; at: Micros };
}

/**
 * Finds a trail by the names of flow and trail (rules/evaluations.md#trails-of-the-context).
 *
 * @throws ServiceError `not-found` for an unknown trail, and with the same sentence for an unknown flow
 */
export async function findTrail(
  table: Table,
  org: Organization,
  { flow: name, trail }: { flow: FlowName; trail: TrailName },
): Promise<FoundTrail> {
  const { flow, beside: head } = await readBesideFlow(table, org.id, name, (id) =>
    readTrailHead(table, org.id, id, trail),
  );
  if (!flow || !head) throw unknownTrail({ trail, org: org.name, flow: name });
  return { flow: { id: flow.id, name: flow.name }, trail, head };
}

/**
 * Finds the trails of a request and pins each to an instant (rules/evaluations.md#pins).
 *
 * @param at the instant, in microseconds. Null: the later of now and the newest moment of the trails, because the clock of
 *   the function that wrote the moment may be ahead of this one
 * @throws ServiceError `not-found` for an unknown trail
 */
export async function pinTrails(
  { table, clock }: { table: Table; clock: Clock },
  org: Organization,
  places: readonly { flow: FlowName; trail: TrailName }[],
  at: Micros | null,
): Promise<{ pins: Pin[]; recorded: Micros }> {
  const trails = await inParallel(places, TRAILS_AT_ONCE, (place) => findTrail(table, org, place));
  const recorded = at ?? trails.reduce((latest, { head }) => latestOf(latest, head.at), clock.now());
  const pins = await inParallel(trails, TRAILS_AT_ONCE, (trail) => pinOf(table, org.id, trail, recorded));
  return { pins, recorded };
}

/** Pins a trail to its last moment whose time is not after an instant (rules/evaluations.md#pins). */
async function pinOf(table: Table, org: OrganizationId, found: FoundTrail, at: Micros): Promise<Pin> {
  const { flow, trail, head } = found;
  const number = head.at <= at ? head.number : await lastMomentAt(table, org, found, at);
  return { flow: flow.id, flowName: flow.name, trail, number };
}

/** Finds the moment by binary search, because numbers follow the order of times. Each step is one read. */
async function lastMomentAt(
  table: Table,
  org: OrganizationId,
  { flow, trail, head }: FoundTrail,
  at: Micros,
): Promise<number> {
  let [known, beyond] = [0, head.number];
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    const moment = await table.get(momentKey(org, flow.id, trail, middle));
    if (Number(moment?.['at']) <= at) known = middle;
    else beyond = middle;
  }
  return known;
}
