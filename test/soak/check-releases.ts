import { inParallel } from '#shared/base/parallel.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { readContent, readSnapshotRange } from '#shared/environments/records/snapshots.ts';
import { knownAfter, stateTrigger } from '#shared/environments/rules/transitions.ts';
import { testName } from '#test/support/ids.ts';
import { listTotals } from '../story/inspect-trail.ts';
import type { Stack } from '../story/stack-api.ts';
import { checkEvaluations, compareDeliveries, waitForDeliveries } from './check-events.ts';
import { checkChains } from './check-writes.ts';
import { RELEASE_FLOW, WATCHED } from './releases.ts';
import type { StoredData } from './stored-data.ts';
import { type Targets, targetNumber } from './targets.ts';
import { isSuccess, type Ledger, type ReleaseWrite } from './traffic.ts';

/** Checks the flow of the releasers, the decisions of their evaluations, and the notifications about their environments. */

const WIDTH = 8;

/**
 * Sends the writes that were not answered again and checks that each write is stored once, with one decision per
 * evaluation.
 *
 * @param patienceMillis how long the evaluations may be pending
 */
export async function checkReleases(
  stack: Stack,
  stored: StoredData,
  { releases }: Ledger,
  patienceMillis: number,
): Promise<string[]> {
  const problems: string[] = [];
  const evaluations: string[] = [];
  const sendAgain = async ({ kind, trail, send }: ReleaseWrite) => {
    const { status, text } = await send();
    if (!isSuccess({ status, text })) problems.push(`${kind} of ${trail} sent again: ${status} ${text}`);
    else if (kind === 'evaluation') evaluations.push((JSON.parse(text) as { id: string }).id);
  };
  // A request that is repeated with its idempotency key gets the first answer, which has the id of the evaluation.
  const repeated = releases.filter(({ kind, answered }) => !answered || kind === 'evaluation');
  await inParallel(repeated, WIDTH, sendAgain);
  problems.push(...(await checkEvaluations(stack, { evaluations }, patienceMillis)));
  const decisions = await inParallel(evaluations, WIDTH, async (id) => {
    const read = await stack.get<{ decision_attestation_id: string | null }>(`/evaluations/${id}`);
    return read.decision_attestation_id;
  });
  const recorded = new Set(decisions.filter((id) => id !== null));
  const countOf = (kind: ReleaseWrite['kind']) => releases.filter((write) => write.kind === kind).length;
  if (recorded.size !== countOf('evaluation')) {
    problems.push(`${countOf('evaluation')} evaluations recorded ${recorded.size} decisions`);
  }
  const trails = new Set(releases.map(({ trail }) => trail));
  const expected = {
    trails: trails.size,
    artifacts: countOf('artifact'),
    attestations: countOf('attestation') + recorded.size,
  };
  const found = await listTotals(stack, RELEASE_FLOW);
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    problems.push(`${RELEASE_FLOW}: the lists have ${JSON.stringify(found)}, the ledger ${JSON.stringify(expected)}`);
  }
  return [...problems, ...(await checkChains(stored, RELEASE_FLOW, trails))];
}

/** Checks that each started artifact, exited artifact and changed state of the watched environments was notified once. */
export async function checkNotices(
  stack: Stack,
  stored: StoredData,
  targets: Targets,
  patienceMillis: number,
): Promise<string[]> {
  const counts = await Promise.all(WATCHED.map((env) => countNotices(stored, env)));
  const most = counts.reduce((sum, count) => sum + count, 0);
  const found = await waitForDeliveries(stack, targetNumber('watched'), { name: 'watched', most }, patienceMillis);
  return compareDeliveries('watched', found, most, targets.receiver.requests);
}

async function countNotices({ table, objects, org }: StoredData, env: string): Promise<number> {
  const head = await findEnvironment(table, org, testName(env));
  if (!head) return 0;
  let known: boolean | null = null;
  let count = 0;
  for (const { index, state } of await readSnapshotRange(table, org, head.id, { from: 1, to: head.index })) {
    const rows = (await readContent(table, objects, org, head.id, index))?.rows ?? [];
    count += rows.filter(({ annotation: { was, now } }) => was === 0 || now === 0).length;
    if (stateTrigger(known, state) !== null) count += 1;
    known = knownAfter(known, state);
  }
  return count;
}
