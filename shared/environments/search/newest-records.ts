import * as z from 'zod';
import { type Fingerprint, FlowId, type Id, type OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
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
  const { entries } = await listingPage(
    table,
    org,
    EVIDENCE_FACETS,
    'trails',
    {},
    { page: 1, perPage: TRAILS_COMPARED },
    now,
  );
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
  const active = flows.toSorted((a, b) => b.latest - a.latest).slice(0, FLOWS_LOOKED_UP);
  const keys = active.map(({ id }) => trailHeadKey(trailPartition(org, id, text)));
  const heads = await table.getMany(keys);
  return firstMatches(
    active.flatMap(({ id }, i) => {
      const key = keys[i];
      return key && heads.has(keyText(key)) ? [{ flow: id, name: text }] : [];
    }),
  );
}

interface ReportedArtifact {
  record: ArtifactRecord;
  /** Empty if the report was erased. */
  filename: string;
}

const Facts = z.object({ filename: z.string() });
/** Bodies that are read at the same time; most of them lie in the records. */
const BODIES_AT_ONCE = 50;

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
  const records = await readArtifacts(table, org, [
    ...new Set([...others, ...entries.map((entry) => String(entry['r']))]),
  ]);
  const found: ReportedArtifact[] = [];
  await inParallel(records, BODIES_AT_ONCE, async (record) => {
    const text = await readBody(objects, org, record.facts);
    found.push({ record, filename: text === null ? '' : Facts.parse(parseJson(text)).filename });
  });
  return found.sort((a, b) => b.record.at - a.record.at);
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
    const isNamed = beginsWith(name, text) || beginsWith(report.filename, text);
    if ((isByDigest || isNamed) && !latest.has(fingerprint)) latest.set(fingerprint, { report, isByDigest });
  }
  return [...latest.values()];
}
