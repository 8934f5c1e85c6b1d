import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { type ChildEnginesOptions, childEngines } from '#shared/engines/child-engines.ts';

const started: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((engines) => engines.close()));
});

function setup(options: ChildEnginesOptions = {}) {
  const engines = childEngines({ timeoutMillis: 10_000, ...options });
  started.push(engines);
  return engines;
}

const SOUND = [{ ok: true, outputs: [true] }];

/** Ids of the processes whose parent has the given id. */
function childrenOf(pid: number | undefined): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((candidate) => candidate > 0 && parentOf(candidate) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch (error) {
    // A process can end between being listed and being read.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}

describe('a hostile program', () => {
  test.each([
    ['recurses endlessly', 'def f: f; f'],
    ['gives outputs endlessly', 'repeat(1)'],
    ['loops over a trillion numbers', 'last(range(1e12))'],
  ])('that %s is stopped at the time limit, with all programs of its call', async (_, program) => {
    const engines = setup({ timeoutMillis: 300 });
    const error = 'took longer than 300 ms';
    expect(await engines.runJq([program, 'true'], '1')).toEqual([
      { ok: false, error },
      { ok: false, error },
    ]);
  });

  test.each([
    ['collects a billion numbers', '[range(1e9)]'],
    ['makes a long text', '"x" * 1e9'],
    ['recurses outside of tail position', 'def f: 1 + f; f'],
    ['doubles a text', '[limit(40; "x" | recurse(. + .))] | length'],
    ['prints more than the heap holds', '"x" * 2e7'],
  ])(
    'that %s is stopped at the memory limit',
    async (_, program) => {
      const engines = setup({ memoryMb: 64, timeoutMillis: 30_000 });
      expect(await engines.runJq([program], '1')).toEqual([{ ok: false, error: 'needed more than 64 MB of memory' }]);
    },
    40_000,
  );

  test('that builds too deep a value fails without harm to the next call', async () => {
    const engines = setup();
    const [outcome] = await engines.runJq(['reduce range(300000) as $i (0; [.]) | tojson'], '1');
    expect(outcome?.ok).toBe(false);
    expect(await engines.runJq(['true'], '1')).toEqual(SOUND);
  });

  test('does not affect the call of the next caller', async () => {
    const engines = setup({ timeoutMillis: 500 });
    const [hostile, sound] = await Promise.all([engines.runJq(['def f: f; f'], '1'), engines.runJq(['true'], '1')]);
    expect(hostile).toEqual([{ ok: false, error: 'took longer than 500 ms' }]);
    expect(sound).toEqual(SOUND);
  });

  test('a hostile program in the form of an expensive schema is stopped at the time limit', async () => {
    const engines = setup({ timeoutMillis: 300 });
    const json = JSON.stringify(Array.from({ length: 60_000 }, (_, i) => [i]));
    expect(await engines.validate({ uniqueItems: true }, json)).toBe('the validation took longer than 300 ms');
  });
});

describe('the child process', () => {
  test('answers each of many concurrent calls with its own result', async () => {
    const engines = setup();
    const calls = Array.from({ length: 50 }, (_, i) => engines.runJq([`. + ${i}`], '1000'));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, i) => [{ ok: true, outputs: [1000 + i] }]));
  });

  test('cannot be used after close()', async () => {
    const engines = setup();
    expect(await engines.runJq(['true'], '1')).toEqual(SOUND);
    await engines.close();
    await expect(engines.runJq(['true'], '1')).rejects.toThrow('the engines are closed');
  });

  test('throws if its entry file does not exist', async () => {
    const engines = setup({ child: { entry: '/nowhere/child.ts', readable: ['/nowhere'], jqPath: '/nowhere/jq.js' } });
    await expect(engines.runJq(['true'], '1')).rejects.toThrow('the engine process did not start');
  });

  test.runIf(process.platform === 'linux')(
    'is replaced, and the request repeated, if it ends for a reason outside the request',
    async () => {
      const before = childrenOf(process.pid);
      const engines = setup();
      expect(await engines.runJq(['true'], '1')).toEqual(SOUND);
      const [child, ...others] = childrenOf(process.pid).filter((pid) => !before.includes(pid));
      expect(others).toEqual([]);
      if (child === undefined) throw new Error('no child process');
      const work = engines.runJq(['[range(100000)] | length > 0'], '1');
      process.kill(child, 'SIGTERM');
      expect(await work).toEqual(SOUND);
    },
  );

  test.runIf(process.platform === 'linux')('has an empty environment and runs under the permission model', async () => {
    const before = childrenOf(process.pid);
    const engines = setup();
    await engines.runJq(['true'], '1');
    const [child] = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    const read = (name: string) => readFileSync(`/proc/${child}/${name}`, 'utf8').split('\0');
    const names = read('environ').flatMap((entry) => (entry === '' ? [] : [entry.split('=')[0]]));
    expect(names.filter((name) => !name?.startsWith('NODE_CHANNEL'))).toEqual([]);
    expect(read('cmdline')).toContain('--permission');
  });
});

describe('the parent process', () => {
  const parent = (program: string): ChildProcess =>
    fork(fileURLToPath(new URL('./idle-parent.ts', import.meta.url)), [program], { execArgv: [] });

  test('ends although its engines are still open and idle', async () => {
    const [code] = await once(parent('true'), 'exit');
    expect(code).toBe(0);
  });

  test.runIf(process.platform === 'linux')(
    'ends its child when it is killed, even if the child is busy',
    async () => {
      const process = parent('def f: f; f');
      const [message] = await once(process, 'message');
      expect(message).toBe('working');
      let children = childrenOf(process.pid);
      while (children.length === 0) {
        await delay(20);
        children = childrenOf(process.pid);
      }
      process.kill('SIGKILL');
      await once(process, 'exit');
      while (children.some((pid) => parentOf(pid) !== undefined)) await delay(50);
      expect(children).toHaveLength(1);
    },
    30_000,
  );
});
