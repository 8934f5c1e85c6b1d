import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { nodeStart, type StackFile, type StackProcess, temporaryDir } from '#test/support/stack-process.ts';
import { inspectTrail } from './inspect-trail.ts';
import { send, type Write } from './ledger.ts';
import { callsOf, newFingerprint, ORG, type Stack, seedWithKey, stackApi } from './stack-api.ts';

const TRAILS = 12;
const LATE = ['late-1', 'late-2', 'late-3'];
const WIDTH = 4;
/** The stack writes its history of the table a few seconds after a write at the latest. */
const HISTORY_MILLIS = 6_000;
const WAIT = { timeout: 120_000, interval: 200 };

it('a restore brings back what was acknowledged before the instant, names what came after it, and revives no key', {
  timeout: 900_000,
}, async () => {
  const dataDir = temporaryDir();
  const seed = seedWithKey();
  const start = () => nodeStart(dataDir, '--seed', seed);
  const first = await start();
  const file = await first.ready();
  const stack = stackApi(file);

  const ledger = Array.from({ length: TRAILS }, (_, i) => writesOf(`trail-${i}`)).flat();
  const byTrail = [...Map.groupBy(ledger, ({ trail }) => trail)];
  await inParallel(byTrail, WIDTH, async ([, writes]) => {
    for (const write of writes) await send(stack, 'web', write);
  });
  const botKey = await newAccount(stack);
  await addMember(file);
  await sleep(HISTORY_MILLIS);
  const instant = Math.ceil(Date.now() / 1000);
  await sleep(3_000);

  for (const trail of LATE) for (const write of writesOf(trail)) await send(stack, 'web', write);
  const [key] = await stack.get<{ id: string }[]>('/service-accounts/bot/api-keys');
  expect((await stack.call('DELETE', `/service-accounts/bot/api-keys/${key?.id}`)).status).toBe(200);
  expect((await stack.call('DELETE', '/organizations/members/bob')).status).toBe(200);
  await sleep(HISTORY_MILLIS);
  stack.kill();
  await first.exit();

  const second = await start();
  await second.ready();
  const interrupted = restoreTo(instant, dataDir);
  await expect.poll(() => interrupted.text(), WAIT).toContain('Bring back the logs');
  interrupted.kill();
  await interrupted.exit();

  const restore = restoreTo(instant, dataDir);
  await expect.poll(() => restore.text(), WAIT).toContain('start it again');
  const closed = stackApi(await second.ready());
  const refused = await closed.call('PUT', '/flows', { json: { name: 'refused' } });
  expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('The service is in maintenance') });
  expect((await closed.call('GET', '/flows/web')).status).toBe(200);
  await stop(second);
  const third = await start();
  const after = stackApi(await third.ready());
  expect(await restore.exit(), restore.text()).toBe(0);

  const found = await inParallel(byTrail, WIDTH, ([trail, writes]) => inspectTrail(after, 'web', trail, writes));
  expect(found.flatMap(({ problems }) => problems)).toEqual([]);
  for (const trail of LATE) {
    expect(restore.text()).toContain(trail);
    expect((await after.call('GET', `/trails/web/${trail}`)).status).toBe(404);
  }
  expect((await callsOf((await third.ready()).url, ORG, botKey).call('GET', '/flows')).status).toBe(401);
  const members = await after.get<{ name: string }[]>('/organizations/members');
  expect(JSON.stringify(members)).not.toContain('bob');
  // Callers report again what was lost.
  for (const trail of LATE) for (const write of writesOf(trail)) await send(after, 'web', write);
  await stop(third);
});

const writesOf = (trail: string): Write[] => {
  const write = { trail, userData: { of: trail }, answered: true };
  return [
    { ...write, kind: 'trail', name: trail, key: `${trail}-begin` },
    { ...write, kind: 'attestation', name: 'small', key: `${trail}-attest` },
    { ...write, kind: 'artifact', name: 'built', fingerprint: newFingerprint(), userData: {}, key: `${trail}-report` },
  ];
};

/** @returns a key of a new service account that works */
async function newAccount(stack: Stack): Promise<string> {
  await stack.call('POST', '/service-accounts', { json: { name: 'bot', privilege: 'member' } });
  const issued = await stack.call('POST', '/service-accounts/bot/api-keys', { json: { description: 'CI' } });
  expect(issued.status, issued.text).toBe(201);
  return String((JSON.parse(issued.text) as { key: string }).key);
}

async function addMember({ operator }: StackFile): Promise<void> {
  const commands = [
    { command: 'create-user', name: 'bob' },
    { command: 'add-member', organization: ORG, user: 'bob', role: 'member' },
  ];
  for (const command of commands) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(operator, { method: 'POST', headers, body: JSON.stringify(command) });
    expect(await answer.json()).toMatchObject({ ok: true });
  }
}

async function stop(process: StackProcess): Promise<void> {
  process.signalAll('SIGTERM');
  await process.exit();
}

/** Runs the command of the operator in a process of its own. */
function restoreTo(instant: number, dataDir: string) {
  const child: ChildProcess = spawn(process.execPath, [
    'infra/operator.ts',
    'restore',
    '--to',
    `${instant}`,
    '--data-dir',
    dataDir,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exited = once(child, 'close');
  return {
    text: () => text,
    kill: () => child.kill('SIGKILL'),
    exit: async () => {
      await exited;
      return child.exitCode;
    },
  };
}
