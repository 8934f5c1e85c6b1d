import * as z from 'zod';
import { type Fingerprint, FlowId, type Id, type OrganizationId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { shortName } from '#shared/base/reasons/artifact-name.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { provenanceOf } from '#shared/evidence/provenance.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { isPlausibleName } from '#shared/evidence/records/flows.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { ARTIFACTS, EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { listingPage } from '#shared/series/listings.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { beginsWith, firstMatches, type Matches } from './matches.ts';

/** Trails that are compared by name, the newest ones. */
const TRAILS_COMPARED = 500;
/** Reports of artifacts that are compared by name, the newest ones. */
const REPORTS_COMPARED = 100;
/** Flows in which an older trail is looked up by its exact name, those that were active last. */
const FLOWS_LOOKED_UP = 100;

const TrailEntry = z.object({ f: FlowId, t: z.string() });

interface FoundTrail {
  flow: FlowId;
  name: string;
}

/** The newest trails. Entries of trails hold the names, so no trail is read. */
export async function readNewestTrails(table: Table, org: OrganizationId, now: Micros): Promise<FoundTrail[]> {
  const page = { page: 1, perPage: TRAILS_COMPARED };
  const { entries } = await listingPage(table, org, EVIDENCE_FACETS, 'trails', {}, page, now);
  return entries.map((entry) => {
    const { f: flow, t: name } = TrailEntry.parse(entry);
    return { flow, name };
  });
}

/**
 * Finds trails by name: those of the newest that begin with the text, newest first. If none does, trails with exactly this
 * name in the flows that were active last.
 */
export async function findTrails(
  table: Table,
  org: OrganizationId,
  text: string,
  newest: readonly FoundTrail[],
  flows: readonly { id: FlowId; latest: number }[],
): Promise<Matches<FoundTrail>> {
  const present = new Set(flows.map(({ id }) => id));
  const found = newest.filter(({ flow, name }) => present.has(flow) && beginsWith(name, text));
  if (found.length > 0 || !isPlausibleName(text)) return firstMatches(found);
  const name = AnyTrailName.parse(text);
  const active = flows.toSorted((a, b) => b.latest - a.latest).slice(0, FLOWS_LOOKED_UP);
  const keyIn = (flow: FlowId) => trailHeadKey(trailPartition(org, flow, name));
  const heads = await table.getMany(active.map(({ id }) => keyIn(id)));
  const having = active.filter(({ id }) => heads.has(keyText(keyIn(id))));
  return firstMatches(having.map(({ id }) => ({ flow: id, name })));
}

interface ReportedArtifact {
  record: ArtifactRecord;
  /** Empty if the report was erased. */
  filename: string;
}

/** Reads the newest reports of artifacts with their file names. @param more ids of further reports */
export async function readNewestReports(
  { table, objects, clock }: Stores,
  org: OrganizationId,
  more: Promise<readonly Id[]>,
): Promise<ReportedArtifact[]> {
  const [{ entries }, others] = await Promise.all([
    listingPage(table, org, EVIDENCE_FACETS, ARTIFACTS, {}, { page: 1, perPage: REPORTS_COMPARED }, clock.now()),
    more,
  ]);
  const ids = new Set([...others, ...entries.map(({ r }) => String(r))]);
  const records = await readArtifacts(table, org, [...ids]);
  const provenance = await provenanceOf(objects, org, records);
  return records
    .map((record) => ({ record, filename: provenance.get(record.id)?.filename ?? '' }))
    .sort((a, b) => b.record.at - a.record.at);
}

/** The latest report of each fingerprint that has one of the digests, or a name that begins with the text. */
export function matchingReports(
  reports: readonly ReportedArtifact[],
  text: string,
  digests: ReadonlySet<Fingerprint>,
): { report: ReportedArtifact; isByDigest: boolean }[] {
  const latest = new Map<Fingerprint, { report: ReportedArtifact; isByDigest: boolean }>();
  for (const report of reports) {
    const { fingerprint, name } = report.record;
    const isByDigest = digests.has(fingerprint);
    // Pages call an image by its name without the registry: `worker:9` of `registry.example/worker:9`.
    const names = [name, report.filename, shortName(report.filename)];
    const isNamed = names.some((one) => beginsWith(one, text));
    if ((isByDigest || isNamed) && !latest.has(fingerprint)) latest.set(fingerprint, { report, isByDigest });
  }
  return [...latest.values()];
}
