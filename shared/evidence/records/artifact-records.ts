import * as z from 'zod';
import { type Fingerprint, FlowId, type Id, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';
import { entryWrite } from '#shared/series/series.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import {
  artifactKey,
  buildKey,
  commitEntryKey,
  fingerprintFlowKey,
  fingerprintPartition,
  shaPartition,
} from './keys.ts';

/** One report of an artifact into a trail. What was reported lies in `facts`; beside it only what lists and rules need. */
export const ArtifactRecord = z.object({
  id: z.string(),
  flow: FlowId,
  trail: z.string(),
  fingerprint: StoredFingerprint,
  /** Template reference name. */
  name: z.string(),
  commit: z.string(),
  at: z.number(),
  number: z.number(),
  by: z.string(),
  repo: z.string().nullable(),
  facts: StoredBody,
});
export type ArtifactRecord = z.infer<typeof ArtifactRecord>;

/** The first report of a fingerprint in the organization: what a build is, and what searches find. */
export const BuildEntry = z.object({
  fingerprint: StoredFingerprint,
  artifact: z.string(),
  flow: FlowId,
  trail: z.string(),
  repo: z.string().nullable(),
  at: z.number(),
});
export type BuildEntry = z.infer<typeof BuildEntry>;

/** The latest report of a fingerprint in one flow; `first` is when the fingerprint was first reported there. */
export const FlowPresence = z.object({
  flow: FlowId,
  trail: z.string(),
  artifact: z.string(),
  name: z.string(),
  at: z.number(),
  first: z.number(),
});
export type FlowPresence = z.infer<typeof FlowPresence>;

const CommitEntry = z.object({
  artifact: z.string(),
  flow: FlowId,
  trail: z.string(),
  fingerprint: StoredFingerprint,
  commit: z.string(),
});
export type CommitEntry = z.infer<typeof CommitEntry>;

export async function readBuild(
  table: Table,
  org: OrganizationId,
  fingerprint: Fingerprint,
): Promise<BuildEntry | null> {
  const item = await table.get(buildKey(org, fingerprint));
  return item ? BuildEntry.parse(item) : null;
}

/** The organization's reports of artifacts; the relay spreads settled entries over one series per flow and per repo. */
export const ARTIFACTS = 'artifacts';
/** The organization's builds, each by the report that made it; the relay spreads settled entries over one series per repo. */
export const BUILDS = 'builds';
/** The trails that a fingerprint was reported in; the relay spreads settled entries over one series per flow. */
export const trailsOf = (fingerprint: Fingerprint): string => `trails-with:${fingerprint}`;

/**
 * The writes that make one report findable: its record, the presence of its fingerprint in the flow, its commit, the
 * lists, the trail's place among those with this fingerprint, and the build when it is the fingerprint's first report.
 * @param refused what it means that the record is there already, and that another report was the fingerprint's first
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
    putIfAbsent({ ...artifactKey(org, id), v: 1, ...record }, refused.seen),
    presenceWrite(org, record),
    { put: { ...commitEntryKey(org, commit, id), v: 1, artifact: id, flow, trail, fingerprint, commit } },
    entryWrite(org, ARTIFACTS, entry, { r: id, ...place }),
    ...(first.inTrail ? [entryWrite(org, trailsOf(fingerprint), entry, { f: flow, t: trail })] : []),
    ...(first.inOrganization
      ? buildWrites(org, { fingerprint, artifact: id, flow, trail, repo, at }, entry, refused.again)
      : []),
  ];
}

/** The latest report of a fingerprint in a flow replaces the one before; when it first came stays. */
const presenceWrite = (org: OrganizationId, { fingerprint, flow, trail, id, name, at }: ArtifactRecord): Write => ({
  update: fingerprintFlowKey(org, fingerprint, flow),
  UpdateExpression:
    'SET #v = :v, #flow = :flow, #trail = :trail, #artifact = :artifact, #name = :name, #at = :at, #first = if_not_exists(#first, :at)',
  ExpressionAttributeNames: {
    ...{ '#v': 'v', '#flow': 'flow', '#trail': 'trail', '#artifact': 'artifact' },
    ...{ '#name': 'name', '#at': 'at', '#first': 'first' },
  },
  ExpressionAttributeValues: {
    ...{ ':v': 1, ':flow': flow, ':trail': trail, ':artifact': id, ':name': name, ':at': at },
  },
});

const buildWrites = <R>(org: OrganizationId, build: BuildEntry, entry: Id, again: () => R): Write<R>[] => [
  putIfAbsent({ ...buildKey(org, build.fingerprint), v: 1, ...build }, again),
  entryWrite(org, BUILDS, entry, { r: build.artifact, f: build.flow, ...(build.repo !== null && { p: build.repo }) }),
];

/** The fingerprints of the organization that begin with a prefix of at least 5 characters; at most `limit`. */
export async function findFingerprints(
  table: Table,
  org: OrganizationId,
  prefix: string,
  limit: number,
): Promise<BuildEntry[]> {
  const items = await table.query({ pk: shaPartition(org, prefix), prefix: `F#${prefix}`, limit });
  return items.map((item) => BuildEntry.parse(item));
}

/**
 * Reports of artifacts whose commit begins with a prefix of at least 5 characters, oldest first per commit.
 * @param limit how many at most, the newest ones of a commit; all unless said
 */
export async function findByCommit(
  table: Table,
  org: OrganizationId,
  prefix: string,
  limit?: number,
): Promise<CommitEntry[]> {
  const range = { pk: shaPartition(org, prefix), prefix: `C#${prefix}` };
  const items =
    limit === undefined
      ? await table.query(range)
      : (await table.query({ ...range, newestFirst: true, limit })).reverse();
  return items.map((item) => CommitEntry.parse(item));
}

/** The flows that hold a fingerprint, the one that had it first in front. */
export async function readFlowPresences(
  table: Table,
  org: OrganizationId,
  fingerprint: Fingerprint,
): Promise<FlowPresence[]> {
  const items = await table.query({ pk: fingerprintPartition(org, fingerprint), prefix: 'FLOW#' });
  return items.map((item) => FlowPresence.parse(item)).sort((a, b) => a.first - b.first);
}

/** The fingerprint's latest report in one flow. */
export async function readFlowPresence(
  table: Table,
  org: OrganizationId,
  fingerprint: Fingerprint,
  flow: FlowId,
): Promise<FlowPresence | null> {
  const item = await table.get(fingerprintFlowKey(org, fingerprint, flow));
  return item ? FlowPresence.parse(item) : null;
}

/** Artifact records in the order asked; those that are not there are left out. */
export async function readArtifacts(table: Table, org: OrganizationId, ids: readonly Id[]): Promise<ArtifactRecord[]> {
  const found = await table.getMany(ids.map((id) => artifactKey(org, id)));
  return ids
    .map((id) => found.get(keyText(artifactKey(org, id))))
    .filter((item): item is Item => item !== undefined)
    .map((item) => ArtifactRecord.parse(item));
}
