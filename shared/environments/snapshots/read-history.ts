import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { presentEnvironment } from '../present-environment.ts';
import { type EnvironmentEvent, eventNumbers, readEvents } from '../records/environment-events.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { historyOf } from '../records/snapshot-parts.ts';
import { readContent } from '../records/snapshots.ts';
import type { SnapshotRow } from '../rules/content.ts';
import { originOf } from '../rules/effects.ts';
import { type ArtifactRun, artifactRuns, type HistoryChange, type HistoryFacts } from '../rules/history.ts';
import { type IndexRange, rangeSize } from '../rules/interval.ts';
import { historyOfLogical } from '../rules/sentences.ts';

/** Most events of a period (rules/environments.md#history). */
const MOST_EVENTS = 10_000;
/** Events of one Query: about a megabyte, which is the most that one call returns. All Queries run at the same time. */
const EVENTS_AT_ONCE = 1_600;

interface EnvironmentHistory {
  environment: EnvironmentHead;
  runs: ArtifactRun[];
  /** False if events are still missing, or if the content of the snapshot at the begin was erased. */
  isComplete: boolean;
}

/**
 * Reads what ran in a physical environment during a period (rules/environments.md#history): the content of the snapshot that
 * was the newest when the period began, and the events of the period. Takes four calls after one another, besides those that
 * find the environment, and one more if the content lies in the bucket.
 *
 * @param name present name or alias
 * @throws ServiceError `not-found` if there is no such environment; `invalid` if it is logical, and under `query.start_ts` if the period has more than 10,000 events
 */
export async function readHistory(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  name: string,
  { from, to }: { from: Micros; to: Micros },
): Promise<EnvironmentHistory> {
  const head = await presentEnvironment(table, org, name);
  if (head.kind === 'logical') throw historyOfLogical({ env: head.name });
  const history = historyOf(table, org.id, head);
  const [first, last] = await Promise.all([history.indexAt(from), history.indexAt(to)]);
  const [content, numbers] = await Promise.all([
    readContent(table, objects, org.id, head.id, first),
    eventNumbers(table, org.id, head, { from: first + 1, to: last }),
  ]);
  const count = rangeSize(numbers);
  if (count > MOST_EVENTS) {
    const text = `The period has ${count} events, more than ${MOST_EVENTS}. Ask for a shorter period`;
    throw invalidField('query.start_ts', text, from / 1e6);
  }
  const parts = await Promise.all(partsOf(numbers).map((part) => readEvents(table, org.id, head.id, part)));
  const events = parts.flat();
  const before = (content?.rows ?? []).filter(({ annotation }) => annotation.now > 0);
  return {
    environment: head,
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
