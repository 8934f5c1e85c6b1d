import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { nodeStart, startDatabaseOfTest, temporaryDir } from '#test/support/stack-process.ts';
import { startEventTarget } from './event-target.ts';
import { type Found, inspectTrail, listTotals } from './inspect-trail.ts';
import { send, startBurst, type Write } from './ledger.ts';
import { type Stack, seedWithKey, stackApi } from './stack-api.ts';

const ROUNDS = 20;
/**
 * A kill comes a random time after a random number of answers, also during the first requests, which create the flow. What
 * matters is which writes are in progress then. More answers before it would only be more to inspect.
 */
const MOST_ANSWERS = 25;
const LONGEST_MILLIS = 100;
const WIDTH = 8;
/** Messages whose function failed come back after this time, so that the end of the story waits less. */
const VISIBILITY_MILLIS = '3000';

interface Burst {
  flow: string;
  ledger: Write[];
  cut: string;
}

it('stores each answered write once and completely and sends its events under one id, although the server is killed 20 times', {
  timeout: 900_000,
}, async () => {
  const dataDir = temporaryDir();
  const seed = seedWithKey();
  const database = await startDatabaseOfTest();
  const flags = ['--allow-local-targets', '--database', database, '--visibility-ms', VISIBILITY_MILLIS];
  const start = () => nodeStart(dataDir, '--seed', seed, ...flags);
  const target = await startEventTarget();
  const bursts: Burst[] = [];
  let awaited = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const process = await start();
    const stack = stackApi(await process.ready());
    if (round === 1) await target.subscribe(stack);
    await inspectBurst(stack, bursts.at(-1));

    const flow = `round-${round}`;
    const [answers, millis] = [randomInt(MOST_ANSWERS), randomInt(LONGEST_MILLIS)];
    awaited += answers;
    const reached = Promise.withResolvers<void>();
    const { ledger, ended } = startBurst(stack, flow, (count) => count >= answers && reached.resolve());
    if (answers > 0) await Promise.race([reached.promise, ended]);
    await sleep(millis);
    stack.kill();
    // No writer may have met an error before the kill.
    expect(await ended, `writers of ${flow}`).toEqual(ledger.filter(({ answered }) => !answered).map(() => 'cut'));
    await process.exit();
    bursts.push({ flow, ledger, cut: `cut ${millis} ms after ${answers} answers` });
  }

  const process = await start();
  const stack = stackApi(await process.ready());
  await inspectBurst(stack, bursts.at(-1));
  const written = bursts.flatMap(({ ledger }) => ledger);
  expect(written.filter(({ answered }) => answered).length).toBeGreaterThanOrEqual(awaited);
  await inspectOrganization(stack, bursts);
  await target.inspect(bursts.flatMap(({ flow, ledger }) => ledger.map((write) => ({ flow, write }))));
  process.signalAll('SIGTERM');
  expect(await process.exit()).toMatchObject({ stdout: expect.stringContaining('Stopping.') });
});

/** Checks the trails of a burst. Then sends the writes without an answer again and checks the lists of the flow. */
async function inspectBurst(stack: Stack, burst: Burst | undefined): Promise<void> {
  if (!burst) return;
  const { flow, ledger, cut } = burst;
  const context = `${flow}, ${cut}`;
  const lost = ledger.filter(({ answered }) => !answered);
  const found = await inspectTrails(stack, flow, ledger);
  expect(found.problems, context).toEqual([]);
  if (found.trails > 0) expect({ ...(await listTotals(stack, flow)), problems: [] }, context).toEqual(found);

  // These writes were applied or lost. With the same idempotency keys, each of them is now stored once.
  await inParallel(lost, WIDTH, (write) => send(stack, flow, write));
  expect(await listTotals(stack, flow), `${context}, with the lost writes sent again`).toEqual(expectedTotals(ledger));
}

async function inspectTrails(stack: Stack, flow: string, writes: readonly Write[]): Promise<Found> {
  const all: Found = { trails: 0, artifacts: 0, attestations: 0, problems: [] };
  const byTrail = [...Map.groupBy(writes, ({ trail }) => trail)];
  await inParallel(byTrail, WIDTH, async ([trail, own]) => {
    const found = await inspectTrail(stack, flow, trail, own);
    all.trails += found.trails;
    all.artifacts += found.artifacts;
    all.attestations += found.attestations;
    all.problems.push(...found.problems);
  });
  return all;
}

const expectedTotals = (ledger: readonly Write[]): Omit<Found, 'problems'> => ({
  trails: new Set(ledger.map(({ trail }) => trail)).size,
  artifacts: ledger.filter(({ kind }) => kind === 'artifact').length,
  attestations: ledger.filter(({ kind }) => kind === 'attestation').length,
});

interface ListedFlow {
  name: string;
  latest_activity_at: number | null;
  latest_state: string | null;
}

/** Checks the lists of the organization, and what the relay derives for every flow. */
async function inspectOrganization(stack: Stack, bursts: readonly Burst[]): Promise<void> {
  const total = async (list: string) =>
    (await stack.get<{ pagination: { total: number } }>(`/${list}?page=1&per_page=1`)).pagination.total;
  const each = bursts.map(({ ledger }) => expectedTotals(ledger));
  const sum = (field: 'trails' | 'attestations') => each.reduce((all, totals) => all + totals[field], 0);
  expect(await total('flows')).toBe(bursts.length);
  expect(await total('trails')).toBe(sum('trails'));
  expect(await total('attestations')).toBe(sum('attestations'));

  const byActivity = '/flows?page=1&per_page=100&sort=latest_activity';
  const flows = async () => (await stack.get<{ data: ListedFlow[] }>(byActivity)).data;
  await expect
    .poll(async () => (await flows()).filter(({ latest_state }) => latest_state !== 'COMPLIANT'), { timeout: 90_000 })
    .toEqual([]);
  expect((await flows()).map(({ name }) => name)).toEqual(bursts.map(({ flow }) => flow));
}
