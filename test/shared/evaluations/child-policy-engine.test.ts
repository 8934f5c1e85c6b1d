import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { micros } from '#shared/base/time.ts';
import type { PolicyRun } from '#shared/engines/policy-engine.ts';
import { type ChildPolicyEngineOptions, childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';

/** Hostile policies run until a limit ends them, on a machine that may be busy. */
const PATIENCE = 60_000;

const logged: LogEntry[] = [];
const engineWith = (options: ChildPolicyEngineOptions) =>
  childPolicyEngine({ timeoutMillis: 20_000, log: (entry) => void logged.push(entry), ...options });

/** The engine of most tests: each start of the process takes a third of a second. */
const engine = engineWith({});
afterAll(() => engine.close());

/** An engine of one test. */
function ownEngine(options: ChildPolicyEngineOptions = {}) {
  const own = engineWith(options);
  onTestFinished(() => own.close());
  return own;
}

const policy = (lines: string, rest: Partial<PolicyRun> = {}): PolicyRun => ({
  files: { 'policy.rego': `package policy\n\n${lines}` },
  params: null,
  input: '{}',
  now: micros(1_800_000_000_000_000),
  ...rest,
});
const SOUND = policy('allow if input.n == 1', { input: '{"n": 1}' });
const ALLOWED = { outcome: 'result', result: { allow: true, violations: [] } };
const timeout = (message: unknown) => ({ outcome: 'error', kind: 'policy_timeout', message });

describe('hostile policies', () => {
  const many = 'numbers.range(1, 1000)';
  test.each([
    ['recurses for ever', 'policy_invalid', 'f(x) := f(x + 1)\nallow if f(1)'],
    ['recurses through data', 'policy_invalid', 'allow if data[input.p].allow'],
    ['collects a billion numbers', 'policy_timeout', `allow if count([1 | ${many}[_]; ${many}[_]; ${many}[_]]) > 0`],
    [
      'loops for ever',
      'policy_timeout',
      `allow if { some a in ${many}; some b in ${many}; some c in ${many}; a * b < c * 0 }`,
    ],
    [
      'makes a text of a gigabyte',
      'policy_timeout',
      `a := concat("", [s | s := sprintf("%1000d", [${many}[_]])])\nallow if concat("", [a | ${many}[_]]) == ""`,
    ],
    ['has five megabytes of values', 'policy_timeout', `allow := true\nx := [${'1,'.repeat(2_500_000)}1]`],
    [
      'has five megabytes of brackets',
      'policy_timeout',
      `allow := true\nx := ${'['.repeat(2_500_000)}${']'.repeat(2_500_000)}`,
    ],
    ['has five megabytes of rules', 'policy_timeout', `allow := true\n${'r if input.x == 1\n'.repeat(290_000)}`],
  ])(
    'one that %s is ended, and the next one finds a sound engine',
    async (_, kind, lines) => {
      const [hostile, sound] = await Promise.all([
        engine.evaluate(policy(lines, { input: '{"p": "policy", "n": 1}' })),
        engine.evaluate(SOUND),
      ]);
      expect(hostile).toMatchObject({ outcome: 'error', kind });
      expect(sound).toEqual(ALLOWED);
    },
    PATIENCE,
  );

  test(
    'one that the time is over for is ended with its process',
    async () => {
      const own = ownEngine({ timeoutMillis: 1000 });
      const slow = `allow if { some i in numbers.range(1, 900000); crypto.sha256(sprintf("%1000d", [i])) == "x" }`;
      const [hostile, sound] = await Promise.all([own.evaluate(policy(slow)), own.evaluate(SOUND)]);
      expect(hostile).toEqual(timeout('The policy took longer than 1000 ms'));
      expect(sound).toEqual(ALLOWED);
    },
    PATIENCE,
  );

  test(
    'one that takes more memory than there is is ended with its process',
    async () => {
      const own = ownEngine({ memoryMb: 64 });
      const large = `a := [x | some i in numbers.range(1, 500000); x := {"number": i, "text": format_int(i, 10)}]\nallow if count(a) > 0`;
      const [hostile, sound] = await Promise.all([own.evaluate(policy(large)), own.evaluate(SOUND)]);
      expect(hostile).toEqual(timeout('The policy needed more than 64 MB of memory'));
      expect(sound).toEqual(ALLOWED);
    },
    PATIENCE,
  );
});

describe('the process that evaluates policies', () => {
  test('gives equal requests equal answers, and keeps nothing of earlier requests', async () => {
    const denied = policy('default allow := false\nallow if data.params.a\nviolations contains input.n', {
      input: '{"n": "why"}',
    });
    const answers = [];
    for (const question of [denied, { ...denied, params: '{"a": true}' }, denied])
      answers.push(await engine.evaluate(question));
    const denial = { outcome: 'result', result: { allow: false, violations: ['why'] } };
    expect(answers).toEqual([denial, ALLOWED, denial]);
  });

  test('has enough stack for recursion up to the depth limit of the engine', async () => {
    const conditions = Array.from({ length: 20 }, (_, i) => `x > -${i + 1}`).join('\n');
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => `f${i}(x) := y if {\n${conditions}\ny := f${i + 1}(x + 1)\n}`).join('\n');
    const deep = (length: number) => policy(`${chain(length)}\nf${length}(x) := x\nallow if f0(0) == ${length}`);
    expect(await engine.evaluate(deep(490))).toEqual(ALLOWED);
    expect(await engine.evaluate(deep(510))).toEqual(timeout('call depth budget of 500 exceeded'));
  });

  test(
    'takes large inputs',
    async () => {
      const input = JSON.stringify({
        list: Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'é"\n'.repeat(40) })),
      });
      expect(await engine.evaluate(policy('allow if count(input.list) == 20000', { input }))).toEqual(ALLOWED);
    },
    PATIENCE,
  );

  test('answers internal_error for a fault of the engine, logs the cause, and evaluates the next policy', async () => {
    logged.length = 0;
    const message = 'The policy engine failed on this policy';
    expect(await engine.evaluate({ ...SOUND, input: 'not JSON' })).toEqual({
      outcome: 'error',
      kind: 'internal_error',
      message,
    });
    expect(logged).toMatchObject([
      { level: 'ERROR', service: 'policies', fault: expect.stringContaining('SyntaxError') },
    ]);
    expect(await engine.evaluate(SOUND)).toEqual(ALLOWED);
  });

  test('cannot be used after it is closed', async () => {
    const own = ownEngine();
    expect(await own.evaluate(SOUND)).toEqual(ALLOWED);
    await own.close();
    await expect(own.evaluate(SOUND)).rejects.toThrow('the engines are closed');
  });

  test('has a name and a version', () => {
    expect(engine).toMatchObject({ name: 'rego', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  test.runIf(process.platform === 'linux')('has an empty environment and may not read beside the program', async () => {
    const own = ownEngine();
    const before = childrenOf(process.pid);
    await own.evaluate(SOUND);
    const [child] = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    const read = (name: string) => readFileSync(`/proc/${child}/${name}`, 'utf8').split('\0');
    const names = read('environ').flatMap((entry) => (entry === '' ? [] : [entry.split('=')[0]]));
    expect(names.filter((name) => !name?.startsWith('NODE_CHANNEL'))).toEqual([]);
    expect(read('cmdline')).toEqual(expect.arrayContaining(['--permission', '--max-old-space-size=1024']));
  });
});

/** Ids of the child processes of a process. */
function childrenOf(pid: number): string[] {
  const isChild = (candidate: string) => {
    try {
      return readFileSync(`/proc/${candidate}/status`, 'utf8').includes(`\nPPid:\t${pid}\n`);
    } catch (error) {
      // Processes end while they are listed.
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
        return false;
      throw error;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(name));
}
