import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Template } from '#shared/evidence/rules/template.ts';
import {
  type ArtifactSlot,
  type AttestationSlot,
  artifactSlotKey,
  attestationSlotKey,
  type SlotChange,
  type TrailState,
} from '#shared/evidence/rules/trail-state.ts';
import { judgeTrail, type StatusWord, trailWord } from '#shared/evidence/rules/verdict.ts';
import { testFingerprint } from '#test/support/ids.ts';
import {
  aTrail,
  attested,
  COMMIT_C,
  COMMIT_D,
  effectiveVerdict,
  FP_1,
  FP_2,
  onFingerprint,
  onNamed,
  onTrail,
  reported,
  secondsIn,
  templateOf,
} from './trails.ts';

const FINGERPRINTS = [FP_1, FP_2, testFingerprint('3'.repeat(64))];
const ARTIFACTS = ['cli', 'server', '__proto__'];
const NAMES = ['a', 'b', 'c'];
const TYPES = ['generic', 'junit', 'custom:x'];

const commits = fc.constantFrom(COMMIT_C, COMMIT_D);
const scopes = fc.oneof(
  fc.constant(onTrail),
  fc.constantFrom(...FINGERPRINTS).map(onFingerprint),
  fc.tuple(fc.constantFrom(...ARTIFACTS), commits).map(([name, commit]) => onNamed(name, commit)),
);
/** Failures are rare; otherwise nearly every trail would be non-compliant. */
const mostly = fc.oneof({ weight: 12, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const attestations = fc
  .record({ scope: scopes, name: fc.constantFrom(...NAMES), type: fc.constantFrom(...TYPES), compliant: mostly })
  .map(({ scope, name, ...more }) => attested(scope, name, more));
/** Each name has one fingerprint, so that the list shows every report. */
const artifacts = fc
  .record({ which: fc.nat(2), commit: commits, compliant: mostly })
  .map(({ which, ...more }) => reported(ARTIFACTS[which] ?? '', { fingerprint: FINGERPRINTS[which] ?? FP_1, ...more }));
const changes = fc.array(fc.oneof({ weight: 3, arbitrary: attestations }, { weight: 1, arbitrary: artifacts }), {
  maxLength: 25,
});

const slots = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...NAMES), type: fc.constantFrom(...TYPES, '*', '*', '*') }),
  { selector: (slot) => slot.name, maxLength: 2 },
);
const templates: fc.Arbitrary<Template> = fc
  .tuple(
    slots,
    fc.uniqueArray(fc.record({ name: fc.constantFrom(...ARTIFACTS), attestations: slots }), {
      selector: (artifact) => artifact.name,
      maxLength: 1,
    }),
  )
  .map(([attestations, expected]) => ({ version: 1, trail: { attestations, artifacts: expected } }));

/**
 * A second, slow implementation of the rules (rules/trails.md#scope-and-binding to rules/trails.md#verdict) that shares
 * no code with the first.
 */
function plainWord(state: TrailState, template: Template): StatusWord {
  const all = [...state.attestations.values()];
  const reports = [...state.artifacts.values()];
  const newest = <S extends { number: number }>(list: S[]) => list.toSorted((a, b) => b.number - a.number)[0];
  const counted = (list: AttestationSlot[]) =>
    list.filter(
      (slot) => slot === newest(list.filter((other) => other.name === slot.name && other.type === slot.type)),
    );
  const gap = (wanted: Template['trail']['attestations'], given: AttestationSlot[]) =>
    wanted.some((slot) => !given.some((a) => a.name === slot.name && (slot.type === '*' || slot.type === a.type)));

  const onWhole = counted(all.filter((a) => a.scope.kind === 'trail'));
  let failed = onWhole.some((a) => !a.compliant);
  let incomplete = gap(template.trail.attestations, onWhole);
  for (const { scope, compliant } of all) {
    if (scope.kind === 'fingerprint' && !reports.some((r) => r.fingerprint === scope.fingerprint))
      failed ||= !compliant;
  }
  for (const { name, attestations: wanted } of template.trail.artifacts) {
    if (!reports.some((r) => r.name === name)) incomplete = true;
    else incomplete ||= gap(wanted, boundTo(name));
  }
  function boundTo(name: string) {
    const mine = reports.filter((r) => r.name === name);
    return counted(
      all.filter(({ scope }) =>
        mine.some(
          (r) =>
            (scope.kind === 'fingerprint' && scope.fingerprint === r.fingerprint) ||
            (scope.kind === 'named' && scope.artifact === r.name && scope.commit === r.commit),
        ),
      ),
    );
  }
  for (const name of ARTIFACTS) {
    failed ||= newest(reports.filter((r) => r.name === name))?.compliant === false;
    failed ||= boundTo(name).some((a) => !a.compliant);
  }
  if (failed) return 'NON-COMPLIANT';
  return incomplete ? 'INCOMPLETE' : 'COMPLIANT';
}

/** One change per slot, so that later changes replace nothing. */
const keyOf = (change: SlotChange) =>
  change.kind === 'attestation'
    ? attestationSlotKey(change)
    : change.kind === 'artifact'
      ? artifactSlotKey(change)
      : change.id;
/**
 * Attestations that can bind to one artifact in two ways are also reduced to one per name and type, and reports of
 * artifacts to one per fingerprint.
 */
const distinct = changes.map((list) => [
  ...new Map(
    list.map((change) => [
      change.kind === 'attestation' && change.scope.kind !== 'trail'
        ? `${change.name}#${change.type}`
        : change.kind === 'artifact'
          ? change.fingerprint
          : keyOf(change),
      change,
    ]),
  ).values(),
]);

const rank: Record<StatusWord, number> = { COMPLIANT: 0, INCOMPLETE: 1, 'NON-COMPLIANT': 2 };

describe('the verdict of any reports and any template', () => {
  test('the verdict equals that of the second implementation', () => {
    fc.assert(
      fc.property(changes, templates, (list, template) => {
        const state = aTrail(...list);
        expect(trailWord(state, template)).toBe(plainWord(state, template));
      }),
      { numRuns: 500 },
    );
  });

  test('the verdict word follows from the listed entries', () => {
    fc.assert(
      fc.property(changes, templates, (list, template) => {
        const { status, is_compliant, attestations_statuses, artifacts_statuses } = judgeTrail(
          aTrail(...list),
          template,
        );
        const entries = Object.values(artifacts_statuses);
        const failed = attestations_statuses.some((e) => e.is_compliant === false);
        expect(status === 'NON-COMPLIANT').toBe(failed || entries.some((e) => e.status === 'NON-COMPLIANT'));
        expect(is_compliant).toBe(status === 'COMPLIANT');
        expect(status === 'COMPLIANT' && entries.some((e) => e.is_compliant !== true)).toBe(false);
      }),
    );
  });

  test('the order in which reports of different slots arrive does not matter', () => {
    const shuffled = distinct.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, templates, ([list, other], template) => {
        const a = aTrail(...list);
        const b = aTrail(...other);
        expect(trailWord(b, template)).toBe(trailWord(a, template));
        for (const fingerprint of FINGERPRINTS) {
          expect(effectiveVerdict(b, template, fingerprint)?.status).toBe(
            effectiveVerdict(a, template, fingerprint)?.status,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  test('the fold of the moments has the last report of each slot', () => {
    fc.assert(
      fc.property(changes, templates, (list, template) => {
        const attestationsLeft = new Map<string, AttestationSlot>();
        const artifactsLeft = new Map<string, ArtifactSlot>();
        for (const [index, change] of list.entries()) {
          const when = { number: index + 2, at: secondsIn(index + 2) };
          const first = list.findIndex((other) => keyOf(other) === keyOf(change)) + 2;
          const { kind, ...slot } = { ...change, ...when, first };
          if (kind === 'attestation') attestationsLeft.set(keyOf(change), slot as AttestationSlot);
          else artifactsLeft.set(keyOf(change), slot as ArtifactSlot);
        }
        const folded = aTrail(...list);
        const built = { ...folded, attestations: attestationsLeft, artifacts: artifactsLeft };
        expect(judgeTrail(folded, template)).toEqual(judgeTrail(built, template));
      }),
    );
  });

  test('one more compliant, unexpected attestation never makes the verdict worse', () => {
    fc.assert(
      fc.property(changes, templates, scopes, (list, template, scope) => {
        const before = trailWord(aTrail(...list), template);
        const after = trailWord(aTrail(...list, attested(scope, 'extra')), template);
        expect(rank[after]).toBeLessThanOrEqual(rank[before]);
      }),
    );
  });

  test('one failure makes the trail non-compliant; a failure of the trail itself also makes every artifact non-compliant', () => {
    fc.assert(
      fc.property(changes, templates, (list, template) => {
        const state = aTrail(...list, attested(onTrail, 'extra', { compliant: false }));
        expect(trailWord(state, template)).toBe('NON-COMPLIANT');
        for (const { fingerprint } of state.artifacts.values()) {
          expect(effectiveVerdict(state, template, fingerprint)?.status).toBe('NON-COMPLIANT');
        }
      }),
    );
  });

  test('the verdict on an artifact is never worse than that on its trail', () => {
    fc.assert(
      fc.property(changes, templates, (list, template) => {
        const state = aTrail(...list);
        const trail = rank[trailWord(state, template)];
        for (const { fingerprint } of state.artifacts.values()) {
          const own = effectiveVerdict(state, template, fingerprint)?.status;
          expect(own && rank[own]).toBeLessThanOrEqual(trail);
        }
      }),
    );
  });
});

test('a large trail keeps all reports separate', () => {
  const fingerprint = (n: number) => testFingerprint(n.toString(16).padStart(64, '0'));
  const list = Array.from({ length: 50 }, (_, n) => reported(`artifact-${n}`, { fingerprint: fingerprint(n) }));
  const checks = Array.from({ length: 5000 }, (_, n) => attested(onFingerprint(fingerprint(n % 50)), `check-${n}`));
  const { artifacts_statuses, status } = judgeTrail(aTrail(list, checks), templateOf([]));
  expect(status).toBe('COMPLIANT');
  expect(Object.values(artifacts_statuses).map((entry) => entry.attestations_statuses.length)).toEqual(
    Array.from({ length: 50 }, () => 100),
  );
});
