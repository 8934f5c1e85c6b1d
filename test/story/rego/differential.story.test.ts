import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, env, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { compileModules, evaluate, parseModules, RegoError } from '#shared/rego/index.ts';
import { NO_COLLECTION } from '../client/no-collection.ts';
import { BAD_POLICIES, POLICIES } from './policies.ts';
import { generatePolicy, INPUT, type Language, PARAMS } from './programs.ts';

const BINARY = fileURLToPath(new URL('../../../node_modules/.bin/kosli', import.meta.url));

/** Each program has 18 rules. `npm run test:differential` compares 1,000 programs. */
const { REGO_PROGRAMS } = env;
const PROGRAMS = Number(REGO_PROGRAMS ?? 300);
const FIRST_SEED = 5000;

/** Programs that one run of the client evaluates together. A run takes a twentieth of a second. */
const TOGETHER = 10;

/** The client's own internal error. A program that causes it is not compared. */
const INTERNAL = 'eval_internal_error';

/** Runs of the client at the same time. */
const WIDTH = 4;

/** The result of an engine for a policy. */
type Verdict = { allow: boolean; violations: string[] } | 'error';

let folder = '';
/** Runs of the client so far. Each run has a policy file of its own. */
let runs = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rego-differential-'));
  writeFileSync(join(folder, 'input.json'), JSON.stringify(INPUT));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The verdict of the client's engine, which runs offline. */
function theirs(policy: string): Promise<Verdict | typeof INTERNAL> {
  runs += 1;
  const file = join(folder, `policy-${runs}.rego`);
  writeFileSync(file, policy);
  const args = ['evaluate', 'input', '--policy', file, '--input-file', join(folder, 'input.json')];
  const options = ['--params', JSON.stringify(PARAMS), '--output', 'json', '--no-assert'];
  return new Promise((resolve) => {
    execFile(BINARY, [...args, ...options], { env: { ...NO_COLLECTION, HOME: folder } }, (error, stdout, stderr) => {
      if (error !== null) return resolve(stderr.includes(INTERNAL) ? INTERNAL : 'error');
      const { allow, violations }: { allow: boolean; violations: string[] | null } = JSON.parse(stdout);
      resolve({ allow, violations: violations ?? [] });
    });
  });
}

/** Returns the verdict of our engine by the rules of the client: violations are read only after a denial, and only strings. */
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

interface Batch {
  readonly seeds: readonly number[];
  readonly language: Language;
}

/** Programs that our engine refuses are compared one by one. The others share runs of the client. */
function batches(): Batch[] {
  const all = Array.from({ length: PROGRAMS }, (_, i) => FIRST_SEED + i);
  return (['plain', 'newer'] as const).flatMap((language): Batch[] => {
    const seeds = all.filter((seed) => (seed % 2 === 0) === (language === 'newer'));
    const isRefused = (seed: number) => ours(generatePolicy([seed], language)) === 'error';
    const { refused = [], accepted = [] } = Object.groupBy(seeds, (seed) => (isRefused(seed) ? 'refused' : 'accepted'));
    const groups = Array.from({ length: Math.ceil(accepted.length / TOGETHER) }, (_, group) =>
      accepted.slice(group * TOGETHER, (group + 1) * TOGETHER),
    );
    return [...groups, ...refused.map((seed) => [seed])].map((group) => ({ seeds: group, language }));
  });
}

function sorted(verdict: Verdict): Verdict {
  return verdict === 'error' ? verdict : { ...verdict, violations: verdict.violations.toSorted() };
}

describe.skipIf(platform !== 'linux' || arch !== 'x64' || !existsSync(BINARY))(
  'compared with the client, our engine',
  () => {
    test(`gives the same verdict and violations for ${PROGRAMS} generated policies`, { timeout: 240_000 }, async () => {
      const counts = { same: 0, refused: 0, internal: 0, violations: 0 };
      const compare = async ({ seeds, language }: Batch): Promise<void> => {
        const policy = generatePolicy(seeds, language);
        const reference = await theirs(policy);
        // An error of one program hides the verdicts of the others.
        if (typeof reference === 'string' && seeds.length > 1) {
          for (const seed of seeds) await compare({ seeds: [seed], language });
          return;
        }
        if (reference === INTERNAL) {
          counts.internal += 1;
          return;
        }
        const expected = sorted(reference);
        expect({ seeds, verdict: sorted(ours(policy)) }).toEqual({ seeds, verdict: expected });
        counts[expected === 'error' ? 'refused' : 'same'] += seeds.length;
        counts.violations += expected === 'error' ? 0 : expected.violations.length;
      };
      await inParallel(batches(), WIDTH, compare);
      console.info(
        `rego differential: ${PROGRAMS} generated policies, ${counts.same} with the same verdict, ` +
          `${counts.violations} violations compared, ${counts.refused} refused by both, ${counts.internal} that the reference cannot run, ` +
          `${runs} runs of the client`,
      );
      expect(counts.violations).toBeGreaterThan(PROGRAMS * 5);
      expect(counts.internal).toBeLessThan(PROGRAMS / 20);
    });

    test.each(Object.entries(POLICIES))('gives the same verdict for %s', async (_name, policy) => {
      const reference = await theirs(policy);
      expect(reference).not.toBe('error');
      expect(sorted(ours(policy))).toEqual(reference === INTERNAL ? reference : sorted(reference));
    });

    test.each(Object.entries(BAD_POLICIES))('also refuses %s', async (_name, policy) => {
      expect(await theirs(policy)).toBe('error');
      expect(ours(policy)).toBe('error');
    });
  },
);
