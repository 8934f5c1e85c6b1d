import * as z from 'zod';
import { type Fingerprint, FlowId, type Id, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { entryWrite } from '#shared/series/series.ts';
import { absent, below, change, either } from '#shared/table/expressions.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write, withRequest } from '#shared/table/table.ts';
import { ARTIFACTS, BUILDS, trailsOf } from '../rules/series-kinds.ts';
import {
  artifactKey,
  buildKey,
  commitEntryKey,
  fingerprintFlowKey,
  fingerprintPartition,
  shaPartition,
} from './keys.ts';
import { acceptedRecord, Seals } from './sealed-records.ts';

/**
 * One report of an artifact (rules/artifacts.md#artifact-record). `facts` holds everything that lists and rules do not
 * need.
 */
export const ArtifactRecord = z.object({
  id: z.string(),
  flow: FlowId,
  trail: AnyTrailName,
  fingerprint: StoredFingerprint,
  /** Template reference name. */
  name: z.string(),
  commit: z.string(),
  at: StoredMicros,
  number: z.number(),
  by: z.string(),
  /** What an issuer proved about the reporter (rules/identities.md#evidence-says-who). */
  identity: VerifiedIdentity.optional(),
  repo: z.string().nullable(),
  facts: StoredBody,
  ...Seals.shape,
});
export type ArtifactRecord = z.infer<typeof ArtifactRecord>;

/** The first report of a fingerprint in the organization. Builds (rules/lookups.md#builds) and searches read it. */
export const BuildEntry = z.object({
  fingerprint: StoredFingerprint,
  artifact: z.string(),
  flow: FlowId,
  trail: AnyTrailName,
  repo: z.string().nullable(),
  at: StoredMicros,
});
export type BuildEntry = z.infer<typeof BuildEntry>;

/**
 * The latest report of a fingerprint in one flow (rules/artifacts.md#flow-presence). `first` is the time of the first
 * report.
 */
export const FlowPresence = z.object({
  flow: FlowId,
  trail: AnyTrailName,
  artifact: z.string(),
  name: z.string(),
  at: StoredMicros,
  first: StoredMicros,
});
export type FlowPresence = z.infer<typeof FlowPresence>;

export const CommitEntry = z.object({
  artifact: z.string(),
  flow: FlowId,
  trail: AnyTrailName,
  fingerprint: StoredFingerprint,
  commit: z.string(),
});
export type CommitEntry = z.infer<typeof CommitEntry>;

/** Reads a stored report, and compares it with what was accepted. @throws RecordDiffers */
export function readArtifactItem(item: Item): ArtifactRecord {
  const record = ArtifactRecord.parse(item);
  return acceptedRecord(`artifact report ${record.id}`, record);
}

export async function readBuild(table: Table, org: OrganizationId, fingerprint: Fingerprint) {
  const item = await table.get(buildKey(org, fingerprint));
  return item ? BuildEntry.parse(item) : null;
}

/**
 * Returns the writes of one report: its record, the presence of the fingerprint in the flow, the entry of the commit
 * and the entries of the lists.
 *
 * @param entry sort key for the entries of lists
 * @param first whether this is the first report of the fingerprint in the organization (then also the build is written)
 *   and in the trail (then also the trail's entry for the fingerprint)
 * @param refused outcomes: `seen` if the record already exists, `again` if another report of the fingerprint was first
 */
export function artifactWrites<R>(
  org: OrganizationId,
  record: ArtifactRecord,
  entry: Id,
  first: { inOrganization: boolean; inTrail: boolean },
  refused: { seen: () => R; again: () => R },
): Write<R>[] {
  const { id, flow, trail, fingerprint, commit, at, repo } = record;
  const place = { f: flow, ...(repo !== null && { p: repo }) };
  return [
    withRequest(putIfAbsent({ ...artifactKey(org, id), v: 1, ...record }, refused.seen)),
    presenceWrite(org, record, refused.again),
    { put: { ...commitEntryKey(org, commit, id), v: 1, artifact: id, flow, trail, fingerprint, commit } },
    entryWrite(org, ARTIFACTS, entry, { r: id, ...place }),
    ...(first.inTrail ? [entryWrite(org, trailsOf(fingerprint), entry, { f: flow, t: trail })] : []),
    ...(first.inOrganization
      ? buildWrites(org, { fingerprint, artifact: id, flow, trail, repo, at }, entry, refused.again)
      : []),
  ];
}

/**
 * Replaces the flow's latest report of the fingerprint. The time of the first report stays. A report that is not later than
 * the stored one is refused and gets a later time with the next attempt, so times follow the order of commits
 * (rules/artifacts.md#flow-presence).
 */
const presenceWrite = <R>(
  org: OrganizationId,
  { fingerprint, flow, trail, id, name, at }: ArtifactRecord,
  again: () => R,
): Write<R> => ({
  update: fingerprintFlowKey(org, fingerprint, flow),
  ...change(
    { set: { v: 1, flow, trail, artifact: id, name, at }, setOnce: { first: at } },
    either(absent(), below({ at })),
  ),
  refused: again,
});

const buildWrites = <R>(org: OrganizationId, build: BuildEntry, entry: Id, again: () => R): Write<R>[] => [
  putIfAbsent({ ...buildKey(org, build.fingerprint), v: 1, ...build }, again),
  entryWrite(org, BUILDS, entry, { r: build.artifact, f: build.flow, ...(build.repo !== null && { p: build.repo }) }),
];

/**
 * Finds the fingerprints of the organization that begin with a prefix.
 *
 * @param prefix at least 5 characters
 * @param limit most results
 */
export async function findFingerprints(table: Table, org: OrganizationId, prefix: string, limit: number) {
  const items = await table.query({ pk: shaPartition(org, prefix), prefix: `F#${prefix}`, limit });
  return items.map((item) => BuildEntry.parse(item));
}

/**
 * Finds the artifact reports whose commit begins with a prefix.
 *
 * @param prefix at least 5 characters
 * @param limit most results, the last in order of commit and time; without it all are returned
 * @returns ascending by commit, and by time within a commit
 */
export async function findByCommit(table: Table, org: OrganizationId, prefix: string, limit?: number) {
  const range = { pk: shaPartition(org, prefix), prefix: `C#${prefix}` };
  const items =
    limit === undefined
      ? await table.query(range)
      : (await table.query({ ...range, newestFirst: true, limit })).reverse();
  return items.map((item) => CommitEntry.parse(item));
}

/** Reads in which flows a fingerprint was reported, in the order of the first report. */
export async function readFlowPresences(table: Table, org: OrganizationId, fingerprint: Fingerprint) {
  const [presences = []] = await readFlowPresencesOf(table, org, [fingerprint]);
  return presences;
}

/** Reads {@link readFlowPresences} of many fingerprints, in their order. */
export async function readFlowPresencesOf(table: Table, org: OrganizationId, fingerprints: readonly Fingerprint[]) {
  const ranges = fingerprints.map((fingerprint) => ({ pk: fingerprintPartition(org, fingerprint), prefix: 'FLOW#' }));
  const found = await table.queryEach(ranges);
  return found.map((items) => items.map((item) => FlowPresence.parse(item)).sort((a, b) => a.first - b.first));
}

/** Reads the latest report of a fingerprint in one flow. */
export async function readFlowPresence(table: Table, org: OrganizationId, fingerprint: Fingerprint, flow: FlowId) {
  const item = await table.get(fingerprintFlowKey(org, fingerprint, flow));
  return item ? FlowPresence.parse(item) : null;
}

/** Reads artifact records in the order of `ids`; missing records are left out. */
export async function readArtifacts(table: Table, org: OrganizationId, ids: readonly Id[]): Promise<ArtifactRecord[]> {
  return artifactsIn(org, ids, await table.getMany(ids.map((id) => artifactKey(org, id))));
}

/** Returns the reports among items that were read, in the order of `ids`. */
export const artifactsIn = (org: OrganizationId, ids: readonly Id[], found: ReadonlyMap<string, Item>) =>
  ids
    .map((id) => found.get(keyText(artifactKey(org, id))))
    .filter((item): item is Item => item !== undefined)
    .map(readArtifactItem);
