import { describe, expect, test } from 'vitest';
import type { AttestationId, FlowId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { type Said, saidOfRow } from '#shared/components/rules/said.ts';
import { testId, testName } from '#test/support/ids.ts';

/** rules/components.md#statements-that-count */

const PLACE = { flow: testId<FlowId>('flow'), trail: testName<TrailName>('trail'), by: 'key-1', signer: null };

/** A statement by a key that lodash is not affected. @param at seconds */
const said = (at: number, fields: Partial<Said> = {}): Said => ({
  ...PLACE,
  attestation: testId<AttestationId>(`attestation-${at}`),
  at: fromSeconds(at),
  grade: 'stated',
  number: 0,
  vulnerabilities: ['CVE-1'],
  status: 'not_affected',
  justification: null,
  statedAt: null,
  part: 'pkg:npm/lodash',
  ...fields,
});

const held = (version: string | null, qualifiers: string | null = null, purl: string | null = 'pkg:npm/lodash') => ({
  package: purl,
  version,
  qualifiers,
});
const LODASH = [held('4.17.20')];

const isCleared = (all: readonly Said[], of = LODASH, vulnerability: string | null = null): boolean =>
  saidOfRow(all, of, vulnerability).isCleared;
const shown = (all: readonly Said[], vulnerability: string | null = null) =>
  saidOfRow(all, LODASH, vulnerability).statements.map(({ at, status }) => `${at / 1e6} ${status}`);

describe('what clears a component', () => {
  test.each([
    ['not_affected', true],
    ['fixed', true],
    ['affected', false],
    ['under_investigation', false],
  ] as const)('%s: %j', (status, clears) => {
    expect(isCleared([said(1, { status })])).toBe(clears);
  });

  test('nothing said clears nothing', () => {
    expect(isCleared([])).toBe(false);
  });

  test.each([
    ['pkg:npm/lodash', held('4.17.20'), true],
    ['pkg:npm/lodash', held(null), true],
    ['pkg:npm/lodash@v4.17.20', held('4.17.20'), true],
    ['pkg:npm/lodash@4.17.20', held('4.17.21'), false],
    ['pkg:npm/lodash@4.17.20', held(null), false],
    ['pkg:npm/lodash', held('4.17.20', null, null), false],
    ['pkg:npm/underscore', held('4.17.20'), false],
    ['pkg:deb/debian/curl@7?arch=amd64', held('7', 'arch=amd64&distro=x', 'pkg:deb/debian/curl'), true],
    ['pkg:deb/debian/curl@7?arch=amd64', held('7', null, 'pkg:deb/debian/curl'), false],
    ['pkg:rpm/bash@5.2?epoch=1', held('1:5.2', null, 'pkg:rpm/bash'), true],
    ['pkg:brew/openssl@3', held('3', null, 'pkg:brew/openssl'), true],
  ])('the part %j of %j: %j', (part, component, isSo) => {
    expect(isCleared([said(1, { part })], [component])).toBe(isSo);
  });

  test('each version of a row has to be cleared', () => {
    const one = said(1, { part: 'pkg:npm/lodash@4.17.20' });
    const both = [held('4.17.20'), held('4.17.19')];
    expect(isCleared([one], both)).toBe(false);
    expect(isCleared([one, said(2, { part: 'pkg:npm/lodash@4.17.19' })], both)).toBe(true);
  });

  test('one vulnerability that affects is enough, whatever is said of others', () => {
    expect(isCleared([said(2), said(1, { vulnerabilities: ['CVE-2'], status: 'affected' })])).toBe(false);
  });
});

describe('which vulnerability is asked about', () => {
  const other = said(1, { vulnerabilities: ['CVE-2', 'GHSA-2'], status: 'affected' });
  const whole = said(3, { vulnerabilities: ['CVE-3'], part: null });

  test('only statements about it count, by any of its names', () => {
    expect(isCleared([said(2), other], LODASH, ' cve-1')).toBe(true);
    expect(isCleared([said(2), other], LODASH, 'ghsa-2')).toBe(false);
    expect(isCleared([said(2), other], LODASH, 'CVE-4')).toBe(false);
  });

  test('statements about the whole artifact count with a name, and not without one', () => {
    expect(isCleared([whole], LODASH, 'CVE-3')).toBe(true);
    expect(isCleared([whole], [held('1', null, null)], 'CVE-3')).toBe(true);
    expect(shown([whole])).toEqual([]);
  });
});

describe('which statement stands', () => {
  test('the later one of the same grade, by when it arrived and not by what its document says', () => {
    const backDated = said(2, { status: 'affected', statedAt: 0 });
    expect(shown([said(1, { statedAt: 9 }), backDated])).toEqual(['2 affected']);
    expect(shown([said(3), backDated])).toEqual(['3 not_affected']);
  });

  test('one name in common makes it the same vulnerability', () => {
    const alias = said(2, { vulnerabilities: ['GHSA-1', 'cve-1'], status: 'affected' });
    expect(shown([said(1), alias])).toEqual(['2 affected']);
  });

  test('a key does not take back what was signed: both stand, and the contradiction leaves it affected', () => {
    const signed = { grade: 'signed', signer: 'security' } as const;
    expect(shown([said(1, { ...signed, status: 'affected' }), said(2)])).toEqual(['1 affected', '2 not_affected']);
    expect(isCleared([said(1, { ...signed, status: 'affected' }), said(2)])).toBe(false);
    expect(shown([said(1, { status: 'affected' }), said(2, signed)])).toEqual(['2 not_affected']);
    expect(isCleared([said(1, signed), said(2, { status: 'affected' })])).toBe(false);
  });

  test('the later one of a document', () => {
    expect(shown([said(1, { number: 1, status: 'fixed' }), said(1, { status: 'affected' })])).toEqual(['1 fixed']);
  });

  test('a statement with several parts is shown once, and the same document twice is its later one', () => {
    const parts = ['pkg:npm/lodash', 'pkg:npm/lodash@4.17.20'].map((part) => said(1, { part }));
    expect(shown(parts)).toEqual(['1 not_affected']);
    expect(shown([...parts, said(2)])).toEqual(['2 not_affected']);
  });

  test('what contradicts is shown first', () => {
    const all = [1, 2, 3].map((at) => said(at, { vulnerabilities: [`CVE-${at}`] }));
    const affected = said(0, { vulnerabilities: ['CVE-9'], status: 'under_investigation' });
    expect(shown([...all, affected])).toEqual([
      '0 under_investigation',
      '3 not_affected',
      '2 not_affected',
      '1 not_affected',
    ]);
  });
});
