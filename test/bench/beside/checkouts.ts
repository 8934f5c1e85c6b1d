import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#infra/local/ports.ts';
import { compare, type Plan, type Running } from './figures.ts';
import { expectStatus } from './http.ts';
import type { System } from './system.ts';
import { thisService } from './this-service.ts';

const ORG = 'bench';
/** The first start of a checkout can take more than a minute on a busy machine. */
const START_MILLIS = 180_000;

/**
 * Starts the services of several checkouts with empty data folders, and compares their figures. All of them run at the same time, so
 * what the machine does meanwhile disturbs all of them. They end with the comparison.
 * @param folders checkouts with installed packages
 * @returns the table, as Markdown
 * @throws Error if a service does not start
 */
export async function compareCheckouts(folders: readonly string[], plan: Plan): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'beside-'));
  const children: ChildProcess[] = [];
  try {
    const systems: Running[] = [];
    for (const [at, folder] of folders.entries()) {
      const key = `key-${randomBytes(24).toString('hex')}`;
      const { child, url } = await start(resolve(folder), join(data, `${at}`), key);
      children.push(child);
      await untilReady(child, url);
      systems.push({ system: checkedOut(folder, url, key), processes: [child.pid ?? 0], data: [join(data, `${at}`)] });
    }
    return await compare(systems, plan);
  } finally {
    for (const child of children) await end(child);
    rmSync(data, { recursive: true, force: true });
  }
}

/** The service of a checkout. Commits before the log answer without the address of a receipt. */
function checkedOut(folder: string, url: string, key: string): System {
  // The name is the commit, and says if files were changed since.
  const name = execFileSync('git', ['-C', folder, 'describe', '--always', '--dirty', '--abbrev=8'], {
    encoding: 'utf8',
  });
  return {
    ...thisService(url, ORG, key),
    name: name.trim(),
    accepted(answer) {
      const { headers } = expectStatus(201, answer);
      return { id: `${headers['x-resource-id']}`, number: 0, sequence: '', hasProof: false };
    },
  };
}

async function start(folder: string, data: string, key: string) {
  const port = await freePort();
  const seed = `${data}.json`;
  const members = [{ user: 'bench', role: 'admin', api_key: key }];
  writeFileSync(seed, JSON.stringify({ organizations: [{ name: ORG, members }] }));
  const options = ['--port', `${port}`, '--data-dir', data, '--seed', seed];
  const child = spawn(process.execPath, ['infra/local/main.ts', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + START_MILLIS;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode} before it was ready`);
    try {
      if ((await fetch(`${url}/ready`)).ok) return;
    } catch {
      // Nothing listens yet.
    }
    await sleep(200);
  }
  throw new Error(`${url} was not ready after ${START_MILLIS / 1_000} seconds`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
