import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileModules, evaluate, parseModules, RegoError } from '#shared/rego/index.ts';
import { BAD_POLICIES, POLICIES } from './rego-policies.ts';
import { generateProgram, INPUT, PARAMS } from './rego-programs.ts';

const BINARY = fileURLToPath(new URL('../../node_modules/.bin/kosli', import.meta.url));

/** Each program has 18 rules; a run of the client takes a twentieth of a second. */
const PROGRAMS = 300;
const FIRST_SEED = 5000;

/** Seeds whose program makes the reference fail of itself (`eval_internal_error`), which says nothing about ours. */
const INTERNAL = 'eval_internal_error';

/** What both engines say about a policy. */
type Verdict = { allow: boolean; violations: string[] } | 'error';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rego-differential-'));
  writeFileSync(join(folder, 'input.json'), JSON.stringify(INPUT));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The verdict of the client's engine, which runs offline. */
function theirs(policy: string): Promise<Verdict | typeof INTERNAL> {
  const file = join(folder, 'policy.rego');
  writeFileSync(file, policy);
  const args = ['evaluate', 'input', '--policy', file, '--input-file', join(folder, 'input.json')];
  const options = ['--params', JSON.stringify(PARAMS), '--output', 'json', '--no-assert'];
  return new Promise((resolve) => {
    execFile(BINARY, [...args, ...options], { env: { HOME: folder } }, (error, stdout, stderr) => {
      if (error !== null) return resolve(stderr.includes(INTERNAL) ? INTERNAL : 'error');
      const { allow, violations }: { allow: boolean; violations: string[] | null } = JSON.parse(stdout);
      resolve({ allow, violations: violations ?? [] });
    });
  });
}

/** Ours, by the same rules: violations are read after a denial only, and only those that are strings. */
function ours(text: string): Verdict {
  try {
    const compiled = compileModules(parseModules([{ path: 'policy.rego', text }]));
    const given = { input: INPUT, data: { params: PARAMS }, now: 1_700_000_000_000_000_000n };
    const allow = evaluate(compiled, { query: 'data.policy.allow', ...given });
    if (typeof allow.value !== 'boolean') return 'error';
    const found = allow.value ? [] : evaluate(compiled, { query: 'data.policy.violations', ...given }).value;
    const violations = Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
    return { allow: allow.value, violations: violations.toSorted() };
  } catch (error) {
    if (error instanceof RegoError) return 'error';
    throw error;
  }
}

function sorted(verdict: Verdict): Verdict {
  return verdict === 'error' ? verdict : { ...verdict, violations: verdict.violations.toSorted() };
}

describe.skipIf(platform !== 'linux' || arch !== 'x64' || !existsSync(BINARY))('beside the client, our engine', () => {
  test(`gives the same verdict and violations for ${PROGRAMS} generated policies`, { timeout: 240_000 }, async () => {
    const counts = { same: 0, refused: 0, internal: 0, violations: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + PROGRAMS; seed += 1) {
      const policy = generateProgram(seed);
      const reference = await theirs(policy);
      if (reference === INTERNAL) {
        counts.internal += 1;
        continue;
      }
      const expected = sorted(reference);
      expect({ seed, verdict: sorted(ours(policy)) }).toEqual({ seed, verdict: expected });
      counts[expected === 'error' ? 'refused' : 'same'] += 1;
      counts.violations += expected === 'error' ? 0 : expected.violations.length;
    }
    console.info(
      `rego differential: ${PROGRAMS} generated policies, ${counts.same} with the same verdict, ` +
        `${counts.violations} violations compared, ${counts.refused} refused by both, ${counts.internal} that the reference cannot run`,
    );
    expect(counts.violations).toBeGreaterThan(PROGRAMS * 5);
    expect(counts.internal).toBeLessThan(PROGRAMS / 20);
  });

  test.each(Object.entries(POLICIES))('gives the same verdict for %s', async (_name, policy) => {
    const reference = await theirs(policy);
    expect(reference).not.toBe('error');
    expect(sorted(ours(policy))).toEqual(reference === INTERNAL ? reference : sorted(reference));
  });

  test.each(Object.entries(BAD_POLICIES))('refuses %s, too', async (_name, policy) => {
    expect(await theirs(policy)).toBe('error');
    expect(ours(policy)).toBe('error');
  });
});
