import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nodeStart, startDatabaseOfTest, temporaryDir } from '#test/support/stack-process.ts';
import { send, type Write } from './ledger.ts';
import { type Appended, appendedOf, logOfStack } from './log-of-stack.ts';
import { callsOf, KEY, newFingerprint, ORG, seedWithKey } from './stack-api.ts';

const FLOW = 'web';
/** When the server is killed after a write, in milliseconds: the relay has sent the entry, and the integrator has received it or will. */
const KILLS = [300, 900, 1_500, 2_500];

it('publishes a checkpoint of everything after the server was killed while entries were on their way', {
  timeout: 300_000,
}, async () => {
  const [dataDir, seed, database] = [temporaryDir(), seedWithKey(), await startDatabaseOfTest()];
  const appended: Appended[] = [];
  const start = async () => {
    const running = await nodeStart(dataDir, '--seed', seed, '--database', database);
    const file = await running.ready();
    const calls = callsOf(file.url, ORG, KEY, (_, __, ___, headers) => appended.push(...appendedOf(headers)));
    return { running, file, log: logOfStack(file), ...calls };
  };
  let stack = await start();
  for (const [round, millis] of KILLS.entries()) {
    const write = (kind: Write['kind'], name: string) =>
      send(stack, FLOW, { trail: `run-${round}`, kind, name, userData: {}, key: newFingerprint(), answered: false });
    await write('trail', `run-${round}`);
    await write('attestation', 'scan');
    await sleep(millis);
    process.kill(stack.file.pid, 'SIGKILL');
    await stack.running.exit();
    stack = await start();
    const hashes = appended.map(({ hash }) => hash).toSorted();
    await expect
      .poll(async () => (await stack.log.hashes()).toSorted(), { timeout: 90_000, interval: 250 })
      .toEqual(hashes);
  }
  stack.running.signalAll('SIGTERM');
  await stack.running.exit();
});
