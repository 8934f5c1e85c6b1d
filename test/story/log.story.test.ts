import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { nodeStart, processesOf, type StackProcess, temporaryDir } from '#test/support/stack-process.ts';
import { send, type Write } from './ledger.ts';
import { type Appended, appendedOf, logOfStack } from './log-of-stack.ts';
import { callsOf, KEY, newFingerprint, ORG, type Stack, seedWithKey } from './stack-api.ts';

const FLOW = 'web';
const WIDTH = 4;
/** Messages whose function failed come back after this time. */
const FLAGS = ['--visibility-ms', '3000'];
const PATIENCE = { timeout: 90_000, interval: 250 };

it('the log has each answered write once although the server is killed, and an auditor sees that older data were restored', {
  timeout: 400_000,
}, async () => {
  const [dataDir, backups, seed] = [temporaryDir(), temporaryDir(), seedWithKey()];
  const [older, olderTable] = [join(backups, 'older'), join(backups, 'older-table')];
  const kept = (name: string) => join(backups, name);
  const appended: Appended[] = [];
  const start = async (dir: string) => {
    const running = await nodeStart(dir, '--seed', seed, ...FLAGS);
    const file = await running.ready();
    const calls = callsOf(file.url, ORG, KEY, (_, __, ___, headers) => appended.push(...appendedOf(headers)));
    return { running, file, log: logOfStack(file), ...calls };
  };
  /** Waits until the log has every write that was answered. */
  const untilLogged = ({ log }: Awaited<ReturnType<typeof start>>) =>
    expect.poll(async () => (await log.hashes()).toSorted(), PATIENCE).toEqual(hashesOf(appended));

  // Entries are being integrated when the server is killed.
  const first = await start(dataDir);
  await writeTrails(first, 'one');
  await untilLogged(first);
  const logKey = await first.log.keyOfLog();
  await first.log.verify(logKey, { keep: kept('before-kill') });
  const { size } = await first.log.describe();
  await writeTrails(first, 'two');
  await writeEnvironments(first);
  await expect.poll(async () => (await first.log.describe()).size, { ...PATIENCE, interval: 20 }).toBeGreaterThan(size);
  process.kill(first.file.pid, 'SIGKILL');
  await ended(first.running, dataDir);
  cpSync(dataDir, older, { recursive: true });

  const second = await start(dataDir);
  await untilLogged(second);
  await second.log.verify(logKey, { since: kept('before-kill'), keep: kept('after-kill') });
  await writeTrails(second, 'three');
  await untilLogged(second);
  expect(appended.length).toBe(WRITES_PER_TRAIL * 6 + 4);
  for (const since of ['before-kill', 'after-kill']) {
    await second.log.verify(logKey, { since: kept(since), keep: kept('newest'), all: true });
  }
  await inParallel(appended, WIDTH, async (one) => {
    expect(await second.log.provenHash(logKey, one), one.receipt).toBe(one.hash);
  });
  await second.log.copyNewestCheckpoint();
  second.running.signalAll('SIGTERM');
  await ended(second.running, dataDir);
  cpSync(older, olderTable, { recursive: true });
  rmSync(join(olderTable, 'objects'), { recursive: true });
  cpSync(join(dataDir, 'objects'), join(olderTable, 'objects'), { recursive: true });

  // Table and bucket are old. Nothing in the stack shows it, but the kept checkpoint does.
  const restored = await start(older);
  await restored.log.verify(logKey, { since: kept('before-kill') });
  expect(await auditorsCall(restored.log.address, logKey, kept('newest'))).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^FAULT .*\/checkpoint: the log has \d+ entries. It had \d+ entries at the kept/),
  });
  restored.running.signalAll('SIGTERM');
  await ended(restored.running, older);

  // The table is old and the bucket is not. The integrator sees it, and the operator brings the entries back.
  const behind = await start(olderTable);
  const begun = await behind.log.describe();
  await writeTrails(behind, 'four');
  await expect.poll(() => behind.running.stdout, PATIENCE).toContain('"error":"LogBehind"');
  expect(await behind.log.describe()).toEqual(begun);
  expect(await operate(behind.file.operator, { command: 'recover-log', organization: ORG })).toMatchObject({
    ok: true,
    entries_before: begun.size,
    has_more: false,
  });
  await untilLogged(behind);
  await behind.log.verify(logKey, { since: kept('newest'), all: true });
  behind.running.signalAll('SIGTERM');
  await ended(behind.running, olderTable);
});

const WRITES_PER_TRAIL = 5;

/** Sends two trails of five moments each, at the same time. */
async function writeTrails(stack: Pick<Stack, 'call'>, name: string): Promise<void> {
  await inParallel([`${name}-a`, `${name}-b`], WIDTH, async (trail) => {
    const fingerprint = newFingerprint();
    const write = (kind: Write['kind'], of: string, more: Partial<Write> = {}) =>
      send(stack, FLOW, {
        trail,
        kind,
        name: of,
        userData: {},
        key: newFingerprint(),
        answered: false,
        ...more,
      });
    await write('trail', trail);
    await write('artifact', 'built', { fingerprint });
    for (const check of ['tests', 'lint', 'scan']) await write('attestation', check, { fingerprint });
  });
}

/** Reports two snapshots of two environments each. */
async function writeEnvironments({ call }: Pick<Stack, 'call'>): Promise<void> {
  await inParallel(['prod', 'test'], WIDTH, async (name) => {
    const created = await call('PUT', '/environments', { json: { name, type: 'server', description: '' } });
    expect(created.status).toBe(201);
    for (let n = 0; n < 2; n += 1) {
      const artifacts = [{ digests: { web: newFingerprint() }, creationTimestamp: 1_776_000_000 }];
      const reported = await call('PUT', `/environments/${name}/report/server`, { json: { artifacts } });
      expect(reported.status).toBe(201);
    }
  });
}

const hashesOf = (appended: readonly Appended[]): string[] => appended.map(({ hash }) => hash).toSorted();

/** Waits until no process of a stack runs, so that its folder can be copied. */
async function ended(stack: StackProcess, dataDir: string): Promise<void> {
  await stack.exit();
  await expect.poll(() => processesOf(dataDir), PATIENCE).toEqual([]);
}

/** Runs the command that an auditor types. */
async function auditorsCall(url: string, logKey: string, since: string): Promise<{ code: unknown; stderr: string }> {
  const args = ['verify/main.ts', '--url', url, '--log-key', logKey, '--since', since, '--token-env', 'AUDITOR_KEY'];
  try {
    const { stderr } = await promisify(execFile)(process.execPath, args, { env: { AUDITOR_KEY: KEY } });
    return { code: 0, stderr };
  } catch (error) {
    const { code, stderr } = error as { code: unknown; stderr: string };
    return { code, stderr };
  }
}

async function operate(operator: string, command: Record<string, unknown>): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(operator, { method: 'POST', headers, body: JSON.stringify(command) });
  return answer.json();
}
