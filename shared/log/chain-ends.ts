import type { EnvironmentId, FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { snapshotKey } from '#shared/environments/records/keys.ts';
import { momentKey, trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { type Key, keyText, type Table } from '#shared/table/table.ts';
import { type LinkReader, readLink } from './missing-links.ts';
import { withoutEntry } from './records/claims.ts';
import type { NumberedSubject } from './rules/entry.ts';
import type { WaitingEntry } from './waiting-entries.ts';

/** The newest link of a chain, according to the head of its trail or environment. */
export interface ChainEnd {
  subject: NumberedSubject;
  keyOf: (number: number) => Key;
  at: Micros;
  trail?: { id: TrailId; name: TrailName };
}

/** Reads the ends of the chains of trails. Trails without a readable head are left out. */
export async function endsOfTrails(
  table: Table,
  org: OrganizationId,
  trails: readonly { flow: FlowId; trail: TrailName }[],
): Promise<ChainEnd[]> {
  const headKeyOf = ({ flow, trail }: { flow: FlowId; trail: TrailName }) =>
    trailHeadKey(trailPartition(org, flow, trail));
  const items = await table.getMany(trails.map(headKeyOf));
  return trails.flatMap((place) => {
    const { flow, trail: name } = place;
    const { data: head } = TrailHead.safeParse(items.get(keyText(headKeyOf(place))));
    if (!head) return [];
    const { id, number, at } = head;
    const subject: NumberedSubject = { kind: 'trail', flow, trail: id, number };
    return [{ subject, at, keyOf: (n: number) => momentKey(org, flow, name, n), trail: { id, name } }];
  });
}

/** Reads the ends of the chains of environments. Environments without a snapshot have none. */
export async function endsOfEnvironments(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<ChainEnd[]> {
  const heads = await readEnvironmentHeads(table, org, ids);
  return [...heads.values()]
    .filter(({ index }) => index > 0)
    .map(({ id, index, at }) => ({
      subject: { kind: 'environment', environment: id, number: index },
      at,
      keyOf: (number) => snapshotKey(org, id, number),
    }));
}

/** Entries that the log does not have. Whoever appends them appends the links before them first. */
export interface MissingEnds {
  entries: WaitingEntry[];
  trails: Map<TrailId, TrailName>;
}

/**
 * Reads the newest links that the log does not have. If a newest link cannot be appended, it is logged, and the link before
 * it takes its place.
 */
export async function missingEnds(
  { table, org, log }: LinkReader & { table: Table },
  ends: readonly ChainEnd[],
): Promise<MissingEnds> {
  const missing: MissingEnds = { entries: [], trails: new Map() };
  let left = [...ends];
  while (left.length > 0) {
    left = await withoutEntry(table, org, left, ({ subject }) => subject);
    const items = await table.getMany(left.map(({ subject, keyOf }) => keyOf(subject.number)));
    const before: ChainEnd[] = [];
    for (const end of left) {
      const { subject, keyOf, trail } = end;
      const key = keyOf(subject.number);
      const item = items.get(keyText(key));
      if (!item)
        log('Links before an entry of the log are not in the table', { organization: org, ...subject, ...key });
      const entries = item ? readLink({ org, log }, item) : [];
      missing.entries.push(...entries);
      if (trail) missing.trails.set(trail.id, trail.name);
      const number = subject.number - 1;
      if (entries.length === 0 && number > 0) before.push({ ...end, subject: { ...subject, number } });
    }
    left = before;
  }
  return missing;
}
