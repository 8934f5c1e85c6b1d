import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { knownComponents } from '#shared/components/rules/known-components.ts';
import { type StoredSbom, trailSboms } from '#shared/components/rules/trail-sboms.ts';
import type { AttestationSlot } from '#shared/evidence/rules/trail-state.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';

const APP = { fingerprint: testFingerprint('app'), reports: [{ name: 'app', commit: 'c' }] };
const SCOPE = { kind: 'fingerprint' as const, fingerprint: APP.fingerprint };
const signature = { root: { name: 'own', version: 1 }, times: [0] };
const SIGNED = { grade: 'signed' as const, signer: { name: 'release', version: 1 }, signature };

const LEAK: Recall = {
  ...{ name: 'leak', version: 1, target: { kind: 'signer', signer: 'release' }, from: null, until: null },
  ...{ deleted: false, changedAt: micros(5), reason: 'the key leaked' },
};

interface Stored extends StoredSbom {
  set: string | null;
}
const sbom = (number: number, more: Partial<Stored> = {}): Stored => ({
  id: testId<never>(`${number}`),
  name: `bom-${number}`,
  scopes: [SCOPE],
  at: micros(number),
  number,
  state: 'read',
  why: null,
  set: `set-${number}`,
  ...more,
});
const slot = (number: number, more: Partial<AttestationSlot> = {}): AttestationSlot => ({
  ...{ scope: SCOPE, name: `bom-${number}`, type: 'sbom', id: testId<never>(`${number}`), compliant: true },
  ...{ overridden: null, number, at: micros(number), first: number },
  ...more,
});

/** What is known of the artifact by what its trails have. */
function knownOf(trails: { sboms?: Stored[]; slots?: AttestationSlot[] }[], recalls: Recall[] = []) {
  const own = trails.map(({ sboms = [], slots = [] }) => ({
    ...trailSboms({ sboms, slots }, micros(1_000), recalls)(APP),
    slots: new Map(slots.map((one) => [one.id, one])),
  }));
  const { unknown, sboms } = knownComponents(own, recalls, (set) => [{ version: set, qualifiers: null }]);
  return { unknown: unknown && [unknown.kind, unknown.sbom, ...unknown.recalls], sboms };
}
const versions = ({ sboms }: ReturnType<typeof knownOf>) =>
  sboms.map(({ versionsOf }) => versionsOf({ package: null, name: 'x' })[0]?.version);

describe('the components of an artifact', () => {
  test('are what all of its SBOMs list, of the fingerprint, of its names and of the whole trail', () => {
    const named = { kind: 'named' as const, artifact: 'app', commit: 'c' };
    const found = knownOf([
      { sboms: [sbom(1), sbom(2, { scopes: [named] }), sbom(3, { scopes: [{ kind: 'trail' }, SCOPE] })] },
      { sboms: [sbom(4), sbom(5, { scopes: [{ ...named, commit: 'd' }] })] },
    ]);
    expect(found.unknown).toBeNull();
    expect(versions(found).toSorted()).toEqual(['set-1', 'set-2', 'set-3', 'set-4']);
  });

  test('are not known without an SBOM, and if one that counts cannot be read', () => {
    expect(knownOf([]).unknown).toEqual(['none', null]);
    expect(knownOf([{}]).unknown).toEqual(['none', null]);
    const unreadable = sbom(2, { state: 'unreadable', set: null });
    expect(knownOf([{ sboms: [sbom(1)] }, { sboms: [unreadable] }]).unknown).toEqual(['unreadable', 'bom-2']);
    expect(versions(knownOf([{ sboms: [sbom(1), unreadable] }]))).toEqual(['set-1']);
  });

  test('are not known while an SBOM is not read yet, also beside others and of the same name', () => {
    expect(knownOf([{ sboms: [sbom(1)], slots: [slot(1), slot(2)] }]).unknown).toEqual(['pending', 'bom-2']);
    expect(knownOf([{ sboms: [sbom(1)], slots: [slot(2, { name: 'bom-1' })] }]).unknown).toEqual(['pending', 'bom-1']);
    const about = { scope: { ...SCOPE, fingerprint: testFingerprint('other') } };
    expect(knownOf([{ sboms: [sbom(1)], slots: [slot(2, about), slot(3, { type: 'generic' })] }]).unknown).toBeNull();
  });

  test('are those of the overridden report if an SBOM was overridden', () => {
    const override = slot(2, { overridden: testId<never>('1') });
    expect(knownOf([{ sboms: [sbom(1)], slots: [override] }]).unknown).toBeNull();
    expect(knownOf([{ slots: [override] }]).unknown).toEqual(['pending', 'bom-2']);
  });

  test('are not known after the SBOM was erased or recalled, unless an earlier one counts', () => {
    const erased = sbom(2, { state: 'erased', set: null, name: 'bom-1' });
    expect(knownOf([{ sboms: [erased] }]).unknown).toEqual(['erased', 'bom-1']);
    expect(versions(knownOf([{ sboms: [sbom(1), erased] }]))).toEqual(['set-1']);
    const signed = sbom(3, { proof: SIGNED });
    expect(knownOf([{ sboms: [signed] }], [LEAK]).unknown).toEqual(['recalled', 'bom-3', 'leak']);
    expect(versions(knownOf([{ sboms: [sbom(1), { ...signed, name: 'bom-1' }] }], [LEAK]))).toEqual(['set-1']);
  });

  test('have the grade of the record: of its signature, or of who reported it', () => {
    const origin = { trust: 'web', issuer: 'https://issuer.example', subject: 'repo:org/web', claims: {} };
    const slots = [slot(1, { origin }), slot(2)];
    const { sboms } = knownOf([{ sboms: [sbom(1), sbom(2), sbom(3, { proof: SIGNED })], slots }]);
    expect(sboms.map(({ grade, signer }) => [grade, signer])).toEqual([
      ['identified', undefined],
      ['stated', undefined],
      ['signed', 'release'],
    ]);
  });
});
