import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Containers } from '#infra/local/functions/containers.ts';
import { ProcessWatch } from '#infra/local/functions/process-watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'containers-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, 'index.js'),
  `let calls = 0;
   exports.handler = async ({ hangs, waits }) => {
     calls += 1;
     if (hangs) await new Promise(() => setInterval(() => {}, 1000));
     if (waits) await new Promise((resolve) => setTimeout(resolve, waits));
     return { pid: process.pid, calls };
   };`,
);

interface Answer {
  pid: number;
  calls: number;
}

function start(count: number, lifeMillis?: readonly [number, number]) {
  const watch = new ProcessWatch();
  let next = 0;
  // The containers take turns, so that a test does not depend on luck.
  const random = () => {
    next += 1;
    return (next % count) / count;
  };
  const made = new Containers(folder, () => ({}), { count, watch, random, ...(lifeMillis && { lifeMillis }) });
  onTestFinished(async () => {
    await made.stop();
    await watch.stop();
  });
  return (event: object = {}, timeoutMillis = 10_000) => made.invoke(event, timeoutMillis) as Promise<Answer>;
}

/** State of a process: T means frozen. */
const stateOf = (pid: number) => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

describe('the containers of a function', () => {
  it('have memories of their own, run one call at a time, and are frozen between calls', async () => {
    const call = start(2);
    const answers = await Promise.all([call({ waits: 50 }), call({ waits: 50 }), call()]);
    const pids = new Set(answers.map(({ pid }) => pid));
    expect(pids.size).toBe(2);
    expect(answers.map(({ calls }) => calls)).toEqual([1, 1, 2]);
    for (const pid of pids) await vi.waitFor(() => expect(stateOf(pid)).toBe('T'));
    expect(pids).toContain((await call()).pid);
  });

  it('end at the end of their life, and forget what they knew', async () => {
    const call = start(1, [0, 0]);
    const first = await call();
    const second = await call();
    expect(second.calls).toBe(1);
    expect(second.pid).not.toBe(first.pid);
  });

  it('end a call that exceeds its time limit', async () => {
    const call = start(1);
    await expect(call({ hangs: true }, 1_000)).rejects.toThrow('The process of the function ended (SIGKILL)');
    expect(await call()).toMatchObject({ calls: 1 });
  });
});

describe('the watch over processes', () => {
  it('kills frozen processes when its parent is gone, and leaves those that were removed', async () => {
    const children = [1, 2].map(() => spawn('sleep', ['60'], { stdio: 'ignore' }));
    const [frozen, removed] = children;
    onTestFinished(() => void removed?.kill('SIGKILL'));
    const watch = new ProcessWatch();
    for (const { pid = 0 } of children) watch.add(pid);
    watch.remove(removed?.pid ?? 0);
    frozen?.kill('SIGSTOP');
    const exited = frozen && once(frozen, 'exit');
    // Its standard input closes, as it does when the parent is killed.
    await watch.stop();
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(removed?.exitCode === null && removed.signalCode === null).toBe(true);
  });
});
