import { isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { keyText } from '#shared/table/table.ts';
import { presentEnvironment } from '../present-environment.ts';
import { readAllowedEntries } from '../records/allowed.ts';
import { type EnvironmentEvent, eventNumbers, readEvents } from '../records/environment-events.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { historyOf } from '../records/snapshot-parts.ts';
import { readContent } from '../records/snapshots.ts';
import { isRunning, type SnapshotRow } from '../rules/content.ts';
import { originOf } from '../rules/effects.ts';
import {
  type ArtifactRun,
  artifactRuns,
  type HistoryChange,
  type HistoryFacts,
  historyTotals,
} from '../rules/history.ts';
import { type IndexRange, rangeSize } from '../rules/interval.ts';
import { historyOfLogical } from '../rules/sentences.ts';

/** Most events of a period (rules/environments.md#history). */
const MOST_EVENTS = 10_000;
/** Events of one Query: about a megabyte, which is the most that one call returns. All Queries run at the same time. */
const EVENTS_AT_ONCE = 1_600;

interface HistorySelection {
  period: { from: Micros; to: Micros };
  page: number;
  perPage: number;
  include: readonly ('evidence' | 'allowed')[];
}

/** What an auditor asks about each run (rules/environments.md#evidence-of-a-run). Absent if it was not asked for. */
interface RunEvidence {
  /** Accepted writes of the trail until now; null without provenance. */
  trailMoments?: number | null;
  /** The entry of the allow-list that is in force now: who made it, when and why. */
  allowed?: { by: string; at: Micros; description: string } | null;
}

export interface EnvironmentHistory {
  /** Present name of the environment. */
  environment: string;
  runs: (ArtifactRun & RunEvidence)[];
  /** Number of runs, on all pages. */
  total: number;
  /** Sums over all pages. */
  totals: ReturnType<typeof historyTotals>;
  /** False if events are still missing, or if the content of the snapshot at the begin was erased. */
  isComplete: boolean;
}

/**
 * Lists what ran in a physical environment during a period (rules/environments.md#history).
 *
 * @param name present name or alias
 * @throws ServiceError `not-found` if the environment does not exist; `invalid` for a logical environment, and under
 *   `query.start_ts` if the period has more than 10,000 events
 */
export async function listHistory(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  name: EnvironmentName,
  { period, page, perPage, include }: HistorySelection,
): Promise<EnvironmentHistory> {
  const head = await presentEnvironment(stores.table, org, name);
  if (head.kind === 'logical') throw historyOfLogical({ env: head.name });
  const { runs, isComplete } = await readRuns(stores, org.id, head, period);
  const onPage = runs.slice((page - 1) * perPage, page * perPage);
  return {
    environment: head.name,
    runs: await withEvidence(stores, org.id, head, onPage, include),
    total: runs.length,
    totals: historyTotals(runs, period),
    isComplete,
  };
}

/**
 * Reads the content of the snapshot that was the newest when the period began, and the events of the period. Takes four calls
 * after one another, and one more if the content lies in the bucket.
 */
async function readRuns(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  head: EnvironmentHead,
  { from, to }: HistorySelection['period'],
): Promise<{ runs: ArtifactRun[]; isComplete: boolean }> {
  const history = historyOf(table, org, head);
  const [first, last] = await Promise.all([history.indexAt(from), history.indexAt(to)]);
  const [content, numbers] = await Promise.all([
    readContent(table, objects, org, head.id, first),
    eventNumbers(table, org, head, { from: first + 1, to: last }),
  ]);
  const count = rangeSize(numbers);
  if (count > MOST_EVENTS) {
    const text = `The period has ${count} events, more than ${MOST_EVENTS}. Ask for a shorter period`;
    throw invalidField('query.start_ts', text, from / 1e6);
  }
  const parts = await Promise.all(partsOf(numbers).map((part) => readEvents(table, org, head.id, part)));
  const events = parts.flat();
  const before = (content?.rows ?? []).filter(isRunning);
  return {
    runs: artifactRuns(before.map(factsOfRow), events.map(changeOf)),
    isComplete: events.length === count && (first === 0 || content !== null),
  };
}

const partsOf = ({ from, to }: IndexRange): IndexRange[] =>
  Array.from({ length: Math.ceil(rangeSize({ from, to }) / EVENTS_AT_ONCE) }, (_, i) => {
    const start = from + i * EVENTS_AT_ONCE;
    return { from: start, to: Math.min(to, start + EVENTS_AT_ONCE - 1) };
  });

function factsOfRow({ name, fingerprint, compliant, flows: [primary], started }: SnapshotRow): HistoryFacts {
  const [flow, report] = [primary?.name ?? null, primary?.report ?? null];
  const origin = primary ? originOf(primary) : null;
  return { name, fingerprint, compliant, flow, report, origin, instances: started.length };
}

function changeOf(event: EnvironmentEvent): HistoryChange {
  const { type, at, name, fingerprint, compliant, flows, report, origin, instances = null } = event;
  return { type, at, name, fingerprint, compliant, flow: flows[0] ?? null, report, origin, instances };
}

/** Adds what was asked for, with one batch of reads per 100 trails or artifacts. */
async function withEvidence(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  { id }: EnvironmentHead,
  runs: readonly ArtifactRun[],
  include: HistorySelection['include'],
): Promise<(ArtifactRun & RunEvidence)[]> {
  const trailKeys = ({ origin }: ArtifactRun) =>
    origin ? [trailHeadKey(trailPartition(org, origin.flow, origin.trail))] : [];
  const fingerprints = new Set(runs.map(({ fingerprint }) => fingerprint).filter(isKnownFingerprint));
  const [heads, allowed] = await Promise.all([
    include.includes('evidence') ? table.getMany(runs.flatMap(trailKeys)) : null,
    include.includes('allowed') ? readAllowedEntries(table, org, id, fingerprints) : null,
  ]);
  return runs.map((run) => {
    const [key] = trailKeys(run);
    const head = key && heads?.get(keyText(key));
    const entry = allowed?.get(run.fingerprint);
    return {
      ...run,
      ...(heads && { trailMoments: head ? TrailHead.parse(head).number : null }),
      ...(allowed && { allowed: entry ? { by: entry.by.name, at: entry.at, description: entry.description } : null }),
    };
  });
}
