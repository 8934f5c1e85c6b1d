import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readKnown, runFolder } from '#test/conformance/conformance.ts';

const OWN = fileURLToPath(new URL('./cases', import.meta.url));

/** A suite of another engine. It is not part of the repository and is run where it lies beside the repository. */
const OUTSIDE = fileURLToPath(new URL('../../../../shared/rego-cases', import.meta.url));
const KNOWN = fileURLToPath(new URL('../../conformance/known-differences.yaml', import.meta.url));

describe("the engine's own cases", () => {
  const { results, unreadable } = runFolder(OWN);

  test.each(results)('$id', ({ outcome }) => {
    expect(outcome).toEqual({ status: 'passed' });
  });

  test('are all read', () => {
    expect(unreadable).toEqual([]);
    expect(results.length).toBeGreaterThan(500);
  });
});

describe.skipIf(!existsSync(OUTSIDE))('the cases beside the repository', () => {
  const run = existsSync(OUTSIDE) ? runFolder(OUTSIDE, readKnown(KNOWN)) : { results: [], unreadable: [], stale: [] };

  test.each(run.results)('$id', ({ outcome }) => {
    expect(outcome).not.toMatchObject({ status: 'failed' });
  });

  test('are all read, and show every known difference', () => {
    expect(run.unreadable).toEqual([]);
    expect(run.stale).toEqual([]);
    expect(run.results.filter(({ outcome }) => outcome.status === 'passed').length).toBeGreaterThan(500);
  });
});
