import type { AttestationId, Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { type Duration, latestOf, type Micros, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { isOfMonth, readSignedTrails, type SignedList, signedList } from '#shared/evidence/records/signed-trails.ts';
import { readTrailStates } from '#shared/evidence/records/trails.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';
import { matchingRecalls } from '#shared/evidence/rules/recalled.ts';
import type { Scope, TrailState } from '#shared/evidence/rules/trail-state.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { readOldestSigner } from '#shared/signers/read-oldest-signer.ts';
import type { RecallTarget } from '#shared/signers/rules/recall-records.ts';
import { keptText, type RecallTerms } from '#shared/signers/rules/recalls.ts';

/** What of the present state of trails a recall concerns (rules/verified-evidence.md#impact). */

/** The latest record of a slot that a recall matches. */
interface RecalledEvidence {
  id: AttestationId;
  name: string;
  type: string;
  /** When it was reported. */
  at: Micros;
  /** The artifacts of the trail that it is about. */
  fingerprints: Fingerprint[];
}

export interface RecalledTrail extends TrailPlace {
  evidence: RecalledEvidence[];
  artifacts: TrailState['artifacts'];
}

/** Lists that are read at the same time, once the first one is at its end: most months have no evidence. */
const LISTS_AT_ONCE = 12;
/** A log or a timestamp authority can be this far ahead of the service. */
const AHEAD: Duration = 24 * 3600 * 1_000_000;

/** Names a place in the lists of a recall: the list, and the last trail that was read of it. */
export interface RecallPlace {
  list: string;
  after: string;
}

/**
 * Reads one page of the trails whose present state has evidence that a recall matches: a bounded number of trails of the lists, newest
 * months first. The page can be short or empty and still have a next one.
 *
 * @param place the end of the page before
 * @param limit trails that are looked at
 * @returns the place that the next page follows; null on the last page
 */
export async function findRecalled(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  recall: RecallTerms,
  { place, limit }: { place: RecallPlace | undefined; limit: number },
): Promise<{ trails: RecalledTrail[]; next: RecallPlace | null }> {
  const all = await listsOf({ table, clock }, org, recall);
  const lists = place === undefined ? all : all.slice(all.findIndex((list) => placeOf(list) === place.list));
  const rows: { list: SignedList; row: Awaited<ReturnType<typeof readSignedTrails>>[number] }[] = [];
  for (const some of [lists.slice(0, 1), ...batchesOf(lists.slice(1), LISTS_AT_ONCE)]) {
    const pages = await Promise.all(
      some.map((list) => {
        const after = placeOf(list) === place?.list ? place.after : undefined;
        return readSignedTrails(table, org, list, { after, limit: limit + 1 });
      }),
    );
    rows.push(...some.flatMap((list, i) => (pages[i] ?? []).map((row) => ({ list, row }))));
    if (rows.length > limit) break;
  }
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const states = await readTrailStates(
    table,
    org,
    page.map(({ row }) => row),
  );
  const trails = page.flatMap(({ list, row: { flow, trail } }, i): RecalledTrail[] => {
    const state = states[i]?.state;
    const evidence = state ? recalledOf(state, list, recall) : [];
    return state && evidence.length > 0 ? [{ flow, trail, evidence, artifacts: state.artifacts }] : [];
  });
  return { trails, next: last ? { list: placeOf(last.list), after: last.row.key } : null };
}

/** A recall has one list for each month, one for each bundle, or a single one. */
const placeOf = ({ by, name, month }: SignedList): string => (by === 'bundle' ? name : month);

/** The lists of a recall, newest months first. */
async function listsOf(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  { target, from }: RecallTerms,
): Promise<SignedList[]> {
  switch (target.kind) {
    case 'bundles':
      return target.digests.map((digest) => signedList('bundle', digest, ''));
    case 'run':
      return [signedList('run', keptText(target.run), '')];
    default: {
      // Evidence is verified as signed only once there is a signer.
      const oldest = await readOldestSigner(table, org);
      if (oldest === null) return [];
      const now = clock.now();
      const since = from === null ? oldest : latestOf(minus(from, AHEAD), oldest);
      return monthsBetween(since, now)
        .reverse()
        .map((month) => signedList(target.kind, nameOf(target), month));
    }
  }
}

function nameOf(target: Exclude<RecallTarget, { kind: 'bundles' | 'run' }>): string {
  switch (target.kind) {
    case 'signer':
      return target.signer;
    case 'builder':
      return keptText(target.builder);
    case 'root':
      return target.name;
    case 'key':
      return target.digest;
  }
}

function recalledOf(state: TrailState, list: SignedList, recall: RecallTerms): RecalledEvidence[] {
  const terms = { ...recall, deleted: false };
  return [...state.attestations.values()]
    .filter((slot) => isOfMonth(list, slot.at) && matchingRecalls(slot, [terms]).length > 0)
    .map(({ id, name, type, at, scope }) => ({ id, name, type, at, fingerprints: aboutOf(state, scope) }));
}

/** The artifacts of a trail that an attestation of a scope is about. */
function aboutOf(state: TrailState, scope: Scope): Fingerprint[] {
  const { reports } = bindingsOf(state);
  if (scope.kind === 'trail') return [...reports.keys()];
  if (scope.kind === 'fingerprint') return [scope.fingerprint];
  return [...reports].flatMap(([fingerprint, found]) =>
    found.some(({ name, commit }) => name === scope.artifact && commit === scope.commit) ? [fingerprint] : [],
  );
}
