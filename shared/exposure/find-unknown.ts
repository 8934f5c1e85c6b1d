import {
  type EnvironmentId,
  type FlowId,
  isKnownFingerprint,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { UnknownPlace } from '#shared/components/builds/places.ts';
import { readPending } from '#shared/components/read-known-components.ts';
import { readSbomsOf, type Sbom } from '#shared/components/records/sboms.ts';
import { type NotKnown, whyNotKnown } from '#shared/components/rules/not-known.ts';
import { mayBePending } from '#shared/components/rules/trail-sboms.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHeads } from '#shared/environments/records/environments.ts';
import { flowRunsPartition } from '#shared/environments/records/keys.ts';
import { ANY_FLOW } from '#shared/environments/records/running.ts';
import { indexAt, readContents } from '#shared/environments/records/snapshots.ts';
import { isRunning, type SnapshotRow } from '#shared/environments/rules/content.ts';
import { readTrailStates } from '#shared/evidence/records/trails.ts';
import type { AttestationSlot, TrailState } from '#shared/evidence/rules/trail-state.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { readEach } from '#shared/table/read-each.ts';
import type { Table } from '#shared/table/table.ts';

/** Artifacts that run without a readable SBOM, page by page (rules/components.md#not-known). */

export interface UnknownArtifact extends NotKnown {
  environment: EnvironmentHead;
  /** Number of the snapshot that shows it. */
  snapshot: number;
  /** Name and fingerprint under which it runs; null if the content of the snapshot was erased, so nobody knows what runs. */
  artifact: { name: string; fingerprint: SnapshotRow['fingerprint'] } | null;
  compliant: boolean | null;
}

/** Environments that are looked at with one step. */
const ENVIRONMENTS_AT_ONCE = 16;
/** Environments that a page looks at, at most. */
const MOST_ENVIRONMENTS = 200;
/** Running artifacts that a page looks at, at most. */
const MOST_ROWS = 500;

/**
 * Reads one page of the artifacts that ran at an instant and whose components nobody knows. The page can be short or empty and still
 * have a next one.
 *
 * @param limit most artifacts
 * @returns the place that the next page follows; null on the last page
 */
export async function findUnknown(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  { asOf, recalls }: { asOf: Micros; recalls: readonly Recall[] },
  { place, limit }: { place: UnknownPlace; limit: number },
): Promise<{ unknown: UnknownArtifact[]; next: UnknownPlace | null }> {
  const { table } = stores;
  let at = place;
  const rows: RunningRow[] = [];
  let looked = 0;
  let next: UnknownPlace | null = null;
  do {
    const ids = await readIds(table, org, at);
    const found = await readRunningRows(stores, org, ids, asOf);
    next = ids.length === 0 ? null : { environment: ids.at(-1) ?? null, row: 0 };
    for (const [i, all] of found.entries()) {
      const from = i === 0 && at.row > 0 ? at.row : 0;
      const taken = all.slice(from, from + MOST_ROWS - rows.length);
      rows.push(...taken);
      if (from + taken.length < all.length) {
        next = { environment: ids[i] ?? null, row: from + taken.length };
        break;
      }
    }
    looked += ids.length;
    at = next ?? at;
  } while (next !== null && rows.length < MOST_ROWS && looked < MOST_ENVIRONMENTS);
  const judged = await judge(table, org, rows, { asOf, recalls });
  return judged.length <= limit ? { unknown: judged.map(shown), next } : cut(judged, limit);
}

interface RunningRow extends Omit<UnknownArtifact, 'why' | 'kind'> {
  row: SnapshotRow | null;
  /** Number of the row among those that run in the environment. */
  position: number;
}

type Judged = UnknownArtifact & { position: number };

/** Ends a page early, behind the last artifact that it takes. */
function cut(judged: readonly Judged[], limit: number): { unknown: UnknownArtifact[]; next: UnknownPlace | null } {
  const last = judged[limit - 1];
  const next = last ? { environment: last.environment.id, row: last.position + 1 } : null;
  return { unknown: judged.slice(0, limit).map(shown), next };
}

const shown = ({ position: _, ...one }: Judged): UnknownArtifact => one;

/** Ids of the next environments in which anything ever ran: the one that is not done first. Logical ones are not among them. */
async function readIds(
  table: Table,
  org: OrganizationId,
  { environment, row }: UnknownPlace,
): Promise<EnvironmentId[]> {
  const items = await table.query({
    pk: flowRunsPartition(org, ANY_FLOW),
    // The zero makes the smallest sort key behind an environment that is done.
    ...(environment !== null && { from: row > 0 ? environment : `${environment}\0` }),
    limit: ENVIRONMENTS_AT_ONCE,
  });
  return items.map(({ sk }) => storedId<EnvironmentId>(sk));
}

/** What ran in environments at an instant, in the order of the ids. Nothing runs in an environment that was archived before. */
async function readRunningRows(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
  asOf: Micros,
): Promise<RunningRow[][]> {
  const heads = await readEnvironmentHeads(table, org, ids);
  const open = ids.flatMap((id) => heads.get(id) ?? []).filter(({ archived }) => archived === null || archived > asOf);
  const indexes = await readEach(open, async ({ id, at, index }) =>
    at <= asOf ? index : indexAt(table, org, id, asOf),
  );
  const places = open.flatMap((environment, i) => {
    const index = indexes[i] ?? 0;
    return index === 0 ? [] : [{ environment, index }];
  });
  const contents = await readContents(
    table,
    objects,
    org,
    places.map(({ environment, index }) => ({ environment: environment.id, index })),
  );
  const rowsById = new Map(
    places.map(({ environment, index }, i) => {
      const about = { environment, snapshot: index };
      const content = contents[i];
      const rows: RunningRow[] = content
        ? content.rows.filter(isRunning).map((row, position) => {
            const { name, fingerprint, compliant } = row;
            return { ...about, row, position, artifact: { name, fingerprint }, compliant };
          })
        : [{ ...about, row: null, position: 0, artifact: null, compliant: null }];
      return [environment.id, rows];
    }),
  );
  return ids.map((id) => rowsById.get(id) ?? []);
}

async function judge(
  table: Table,
  org: OrganizationId,
  rows: readonly RunningRow[],
  context: { asOf: Micros; recalls: readonly Recall[] },
): Promise<Judged[]> {
  const places = trailsOf(rows);
  const sboms = await readByTrail(places, (some) => readSbomsOf(table, org, some));
  // Most artifacts have an SBOM. What is reported and not read yet is only asked about the others.
  const without = rows.filter((one) => whyOf(one, sboms, new Map(), { ...context, isPending: () => true }) !== null);
  const states = await readByTrail(trailsOf(without), async (some) =>
    (await readTrailStates(table, org, some)).map((read) => read?.state),
  );
  const read = new Set([...sboms.values()].flat().map(({ id }) => id));
  const slots = [...states.values()].flatMap(({ attestations }) => [...attestations.values()]);
  const isPending = await readPending(
    table,
    org,
    slots.filter((slot) => mayBePending(slot, read)),
  );
  return without.flatMap((one) => {
    const found = whyOf(one, sboms, states, { ...context, isPending });
    const { row: _, ...artifact } = one;
    return found === null ? [] : [{ ...artifact, ...found }];
  });
}

type ByTrail<T> = ReadonlyMap<string, T>;
type Place = { flow: FlowId; trail: TrailName };
const textOf = ({ flow, trail }: Place): string => `${flow}/${trail}`;

function trailsOf(rows: readonly RunningRow[]): Place[] {
  const flows = rows.flatMap(({ row }) => row?.flows ?? []);
  return [...new Map(flows.map(({ flow, trailName: trail }) => [textOf({ flow, trail }), { flow, trail }])).values()];
}

async function readByTrail<T>(
  places: readonly Place[],
  read: (places: readonly Place[]) => Promise<readonly (T | undefined)[]>,
): Promise<ByTrail<T>> {
  const found = await read(places);
  return new Map(places.flatMap((place, i) => (found[i] === undefined ? [] : [[textOf(place), found[i]] as const])));
}

function whyOf(
  { row }: RunningRow,
  sboms: ByTrail<readonly Sbom[]>,
  states: ByTrail<TrailState>,
  {
    asOf,
    recalls,
    isPending,
  }: { asOf: Micros; recalls: readonly Recall[]; isPending: (slot: AttestationSlot) => boolean },
): NotKnown | null {
  if (row === null) return { kind: 'erased', why: 'The content of the snapshot was erased' };
  const { fingerprint } = row;
  if (!isKnownFingerprint(fingerprint)) return { kind: 'none', why: 'Its fingerprint is not known' };
  const trails = row.flows.map(({ flow, trailName: trail, slot, commit }) => ({
    reported: { name: slot, commit },
    sboms: sboms.get(textOf({ flow, trail })) ?? [],
    slots: [...(states.get(textOf({ flow, trail }))?.attestations.values() ?? [])].filter(isPending),
  }));
  return whyNotKnown({ fingerprint, trails }, asOf, recalls);
}
