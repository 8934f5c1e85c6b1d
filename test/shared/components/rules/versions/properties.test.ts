import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInRange, parseVersionRange } from '#shared/components/rules/versions/range.ts';
import { compareVersions, SCHEMES } from '#shared/components/rules/versions/schemes.ts';

/** What holds for the versions of every scheme (rules/components.md#order-of-versions, rules/components.md#ranges). */

/** Pieces of versions. Few of them, so that equal and similar versions are frequent. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  cargo: ['0', '1', '10', '.', '-', 'a', 'rc', '+'],
  composer: ['v', '0', '1', '2', '10', '.'],
  deb: ['0', '1', '10', '.', '~', '+', '-', 'a', 'b', '2:'],
  gem: ['0', '1', '10', '.', '-', 'a', 'rc'],
  generic: ['0', '1', '00', '10', '.'],
  golang: ['v', '0', '1', '10', '.', '-', 'a', '+'],
  hex: ['0', '1', '10', '.', '-', 'a', '+'],
  npm: ['0', '1', '10', '.', '-', 'a', 'rc', '+'],
  nuget: ['0', '1', '10', '.', '-', 'a', 'B', '+'],
  pypi: ['0', '1', '10', '.', 'a', 'rc', '.post', '.dev', '+', '1!'],
  rpm: ['0', '1', '10', '.', '~', '^', '-', 'a', 'b', '2:'],
};

/**
 * Numbers and one qualifier, as versions of Maven are. The order of Maven is not transitive for every text: `1-0snapshot` is less than
 * `1`, which is less than `1a`, which is less than `1-0snapshot`.
 */
const mavenVersion: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom('0', '1', '2', '10'), { minLength: 1, maxLength: 4 }).map((numbers) => numbers.join('.')),
    fc.constantFrom('', '-', '.', '-'),
    fc.constantFrom('alpha', 'b', 'rc', 'cr', 'm', 'SNAPSHOT', 'final', 'ga', 'sp', 'x', 'jre'),
    fc.constantFrom('', '1', '-1', '2', '10'),
  )
  .map(([numbers, separator, ...word]) => (separator === '' ? numbers : `${numbers}${separator}${word.join('')}`));

const versionOf = (scheme: string): fc.Arbitrary<string> => {
  if (scheme === 'maven') return mavenVersion;
  const tail = fc.array(fc.constantFrom(...(PIECES[scheme] ?? [])), { maxLength: 7 }).map((pieces) => pieces.join(''));
  return fc
    .tuple(fc.constantFrom('', '1.0.0', '1.1', '1'), tail)
    .map((parts) => parts.join(''))
    .filter((text) => compareVersions(scheme, text, text) !== null);
};

const COMPARATORS = ['=', '!=', '<', '<=', '>', '>='] as const;
type Comparator = (typeof COMPARATORS)[number];

/**
 * Whether a version is in a range, by its neighbours alone: it is in if the next bound below it opens an interval or the next bound
 * above it closes one. A bound of the same kind as its neighbour says nothing, as `>1|>2` is `>1`.
 * @param compare compares the version with another one
 */
function isInByHand(
  compare: (version: string) => number,
  constraints: readonly { comparator: Comparator; version: string }[],
): boolean {
  const own = constraints.find(({ version }) => compare(version) === 0)?.comparator;
  if (own === '!=') return false;
  if (own?.includes('=')) return true;
  if (constraints.every(({ comparator }) => comparator === '!=')) return true;
  const bounds = constraints.filter(({ comparator }) => /[<>]/.test(comparator));
  const below = bounds.findLast(({ version }) => compare(version) > 0)?.comparator;
  const above = bounds.find(({ version }) => compare(version) < 0)?.comparator;
  const isOpened = (below ?? '').startsWith('>') && own !== '<';
  const isClosed = (above ?? '').startsWith('<') && own !== '>';
  return isOpened || isClosed;
}

describe.each(SCHEMES)('versions of %s', (scheme) => {
  const version = versionOf(scheme);

  test('have a total order', () => {
    const sign = (a: string, b: string): number => compareVersions(scheme, a, b) ?? Number.NaN;
    void fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(sign(a, a)).toBe(0);
        expect(sign(a, b) + sign(b, a)).toBe(0);
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect([a, b, c, sign(a, c) <= 0]).toEqual([a, b, c, true]);
        if (sign(a, b) === 0) expect(sign(a, c)).toBe(sign(b, c));
      }),
      { numRuns: 300 },
    );
  });

  test('are in a range if its constraints say so, and only then', () => {
    const sorted = fc
      .uniqueArray(version, { minLength: 1, maxLength: 6, comparator: (a, b) => compareVersions(scheme, a, b) === 0 })
      .map((versions) => versions.toSorted((a, b) => compareVersions(scheme, a, b) ?? 0));
    const constraints = sorted.chain((versions) =>
      fc.tuple(
        ...versions.map((one) => fc.constantFrom(...COMPARATORS).map((comparator) => ({ comparator, version: one }))),
      ),
    );
    void fc.assert(
      fc.property(constraints, version, (parts, tested) => {
        const text = parts.map((one) => `${one.comparator}${encodeURIComponent(one.version)}`).join('|');
        const parsed = parseVersionRange(`vers:${scheme}/${text}`);
        if ('problem' in parsed) throw new Error(parsed.problem);
        const compare = (other: string): number => compareVersions(scheme, tested, other) ?? Number.NaN;
        expect(isInRange(parsed.range, tested)).toEqual({ within: isInByHand(compare, parts) });
      }),
      { numRuns: 200 },
    );
  });
});

test('nothing that is no range or no version throws', () => {
  const scheme = fc.constantFrom(...SCHEMES);
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string());
  void fc.assert(
    fc.property(scheme, text, text, (one, listed, version) => {
      const parsed = parseVersionRange(`vers:${one}/${listed}`);
      if ('range' in parsed) isInRange(parsed.range, version);
      else expect(parsed.problem).not.toBe('');
      compareVersions(one, listed, version);
    }),
    { numRuns: 500 },
  );
});

test('long texts that are nearly versions are decided at once', () => {
  const hostile = ['1', '1.', 'a', '-', '0-', '1a', '~', '.a1', '1+', '1-1'].map((piece) =>
    piece.repeat(256).slice(0, 255),
  );
  const start = performance.now();
  for (const scheme of SCHEMES) {
    for (const a of hostile) for (const b of hostile) compareVersions(scheme, `1${a}`, `1${b}`);
  }
  expect(performance.now() - start).toBeLessThan(5000);
});
