import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { readRecallVersions } from '#shared/signers/read-recall-versions.ts';
import type { Table } from '#shared/table/table.ts';
import type { ExpanderServices } from '../effects-context.ts';
import { type ExpansionMessage, expansionMessage } from '../expand-message.ts';
import { raiseMark } from '../records/marks.ts';
import { ANY_FLOW, hasEverRun, readRunningIn } from '../records/running.ts';
import { findRecalled } from './find-recalled.ts';

/** Trails that are looked at with one step. */
const AT_ONCE = 500;
/** How many marks are raised in parallel. */
const WIDTH = 16;
/** Environments that a message names as marked. The marks of others may be raised twice, which costs an evaluation each. */
const MOST_NAMED = 2_000;

type RecallMessage = Extract<ExpansionMessage, { work: 'recall' }>;
interface MarkingContext {
  services: Pick<ExpanderServices, 'table' | 'clock'> & { expansions: Pick<Queue, 'send'> };
}

/**
 * Raises the marks of environments in which artifacts run that a version of a recall concerns, or that the version before it did: their
 * next reports evaluate again, by what counts now (rules/verified-evidence.md#marks-of-recalls). The recall was stored before, so one
 * mark of an environment is enough, however many of its artifacts are concerned.
 *
 * @param isTime whether there is time for another step; a message to the expander has the rest
 */
export async function markRecalled(
  { services }: MarkingContext,
  message: RecallMessage,
  isTime: () => boolean,
): Promise<void> {
  const { table, expansions } = services;
  const { org, name } = message;
  // An organization in which nothing ever ran costs one read.
  if (!(await hasEverRun(table, org, ANY_FLOW))) return;
  const versions = await readRecallVersions(table, org, name, message.version);
  const marked = new Set(message.marked);
  let { turn, place } = message;
  while (turn < versions.length) {
    const recall = versions[turn];
    if (!recall) return;
    const { trails, next } = await findRecalled(services, org, recall, { place: place ?? undefined, limit: AT_ONCE });
    const fingerprints = trails.flatMap(({ evidence }) => evidence.flatMap((one) => one.fingerprints));
    await markNew(table, org, await readRunningIn(table, org, fingerprints), marked);
    place = next;
    if (next === null) turn += 1;
    if (turn < versions.length && !isTime()) {
      const rest = { ...message, turn, place, marked: [...marked].slice(0, MOST_NAMED) };
      await expansions.send([expansionMessage(rest)]);
      return;
    }
  }
}

async function markNew(
  table: Table,
  org: OrganizationId,
  environments: ReadonlySet<EnvironmentId>,
  marked: Set<EnvironmentId>,
): Promise<void> {
  const fresh = [...environments].filter((environment) => !marked.has(environment));
  for (const some of batchesOf(fresh, WIDTH)) {
    await inParallel(some, WIDTH, (environment) => raiseMark(table, org, environment));
    for (const environment of some) marked.add(environment);
  }
}
