import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { countedSboms, type ReportedSbom } from '#shared/components/rules/counted-sboms.ts';
import { whyNotKnown } from '#shared/components/rules/not-known.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';

const APP = testFingerprint('app');
const sbom = (number: number, more: Partial<ReportedSbom> = {}) => ({
  id: testId<never>(`${number}`),
  name: 'sbom',
  scopes: [{ kind: 'fingerprint' as const, fingerprint: APP }],
  at: micros(number * 10),
  number,
  state: 'read' as const,
  why: null,
  ...more,
});
const numbers = (sboms: readonly ReportedSbom[], asOf = 1_000) =>
  countedSboms(sboms, micros(asOf), []).map((one) => one.sbom.number);

describe('the SBOMs that count', () => {
  test('are the newest of each scope and name, as of the instant', () => {
    const all = [sbom(1), sbom(2), sbom(3, { name: 'base' }), sbom(4, { scopes: [{ kind: 'trail' }] })];
    expect(numbers(all)).toEqual([2, 3, 4]);
    expect(numbers(all, 10)).toEqual([1]);
    expect(numbers(all, 9)).toEqual([]);
    expect(numbers(all.toReversed())).toEqual([4, 3, 2]);
  });

  test('are not those that were erased: the one before counts', () => {
    expect(numbers([sbom(1), sbom(2, { state: 'erased' })])).toEqual([1]);
  });

  test('are counted once for each of their scopes', () => {
    const both = sbom(1, { scopes: [{ kind: 'trail' }, { kind: 'named', artifact: 'app', commit: 'c' }] });
    expect(numbers([both])).toEqual([1, 1]);
  });
});

describe('the components of an artifact that runs', () => {
  const why = (sboms: readonly ReturnType<typeof sbom>[], slots: object[] = []) => {
    const trail = { reported: { name: 'app', commit: 'c' }, sboms, slots: slots as never[] };
    return whyNotKnown({ fingerprint: APP, trails: [trail] }, micros(1_000), [])?.kind ?? null;
  };

  test('are known by any SBOM about it that could be read', () => {
    expect(why([sbom(1)])).toBeNull();
    expect(why([sbom(1, { scopes: [{ kind: 'trail' }] })])).toBeNull();
    expect(why([sbom(1, { scopes: [{ kind: 'named', artifact: 'app', commit: 'c' }] })])).toBeNull();
    expect(why([sbom(1, { scopes: [{ kind: 'named', artifact: 'app', commit: 'd' }] })])).toBe('none');
    expect(why([sbom(1, { scopes: [{ kind: 'fingerprint', fingerprint: testFingerprint('other') }] })])).toBe('none');
  });

  test('are not known if one that counts cannot be read, whatever others list', () => {
    expect(why([sbom(1), sbom(2, { state: 'unreadable', name: 'base' })])).toBe('unreadable');
    expect(why([sbom(1, { state: 'unreadable' }), sbom(2)])).toBeNull();
  });

  test('are not known while its SBOM is not read yet, after it was erased, and of what nobody reported', () => {
    const slot = { type: 'sbom', scope: { kind: 'trail' }, id: 'new', at: micros(5) };
    expect(why([], [slot])).toBe('pending');
    expect(why([], [{ ...slot, type: 'junit' }])).toBe('none');
    expect(why([], [{ ...slot, at: micros(5_000) }])).toBe('none');
    expect(why([sbom(1, { state: 'erased' })])).toBe('erased');
    expect(whyNotKnown({ fingerprint: APP, trails: [] }, micros(1_000), [])?.kind).toBe('none');
  });
});
