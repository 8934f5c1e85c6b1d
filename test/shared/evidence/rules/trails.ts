import type { Fingerprint } from '#shared/base/ids.ts';
import { fromSeconds, type Micros } from '#shared/base/time.ts';
import type { Template, TemplateSlot } from '#shared/evidence/rules/template.ts';
import {
  applyMoment,
  EMPTY_TRAIL,
  type MomentChange,
  type Scope,
  type SlotChange,
  type TrailState,
} from '#shared/evidence/rules/trail-state.ts';
import { trailJudge } from '#shared/evidence/rules/verdict.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';

/**
 * Builders for states of trails. A trail is begun, then each change is a moment of its own, one second after the other.
 */

export const COMMIT_C = 'c'.repeat(40);
export const COMMIT_D = 'd'.repeat(40);
export const FP_1 = testFingerprint('1'.repeat(64));
export const FP_2 = testFingerprint('2'.repeat(64));

/** Time of the n-th moment of {@link aTrail}. Moment 1 begins the trail. */
export const secondsIn = (n: number): Micros => fromSeconds(1_700_000_000 + n);

export const templateOf = (
  trail: readonly TemplateSlot[],
  artifacts: Readonly<Record<string, readonly TemplateSlot[]>> = {},
): Template => ({
  version: 1,
  trail: {
    attestations: [...trail],
    artifacts: Object.entries(artifacts).map(([name, attestations]) => ({ name, attestations: [...attestations] })),
  },
});

export const EMPTY = templateOf([]);

export const slot = (name: string, type = 'generic'): TemplateSlot => ({ name, type });

/** Requires `bar` on the trail and `foo` on the artifact `cli`. */
export const expected = templateOf([slot('bar')], { cli: [slot('foo')] });

export const onTrail: Scope = { kind: 'trail' };
export const onFingerprint = (fingerprint: Fingerprint): Scope => ({ kind: 'fingerprint', fingerprint });
export const onNamed = (artifact: string, commit = COMMIT_C): Scope => ({ kind: 'named', artifact, commit });

type Attestation = Extract<SlotChange, { kind: 'attestation' }>;
type Artifact = Extract<SlotChange, { kind: 'artifact' }>;

export const attested = (scope: Scope, name: string, more: Partial<Attestation> = {}): Attestation => ({
  kind: 'attestation',
  scope,
  name,
  type: 'generic',
  id: testId(`id-of-${name}`),
  compliant: true,
  overridden: null,
  ...more,
});

export const reported = (name: string, more: Partial<Artifact> = {}): Artifact => ({
  kind: 'artifact',
  fingerprint: FP_1,
  name,
  commit: COMMIT_C,
  id: `id-of-${name}`,
  compliant: true,
  ...more,
});

export const moment = (number: number, changes: readonly SlotChange[], template: string | null): MomentChange => ({
  kind: number === 1 ? 'trail_reported' : 'trail_updated',
  at: secondsIn(number),
  template,
  ownTemplate: null,
  fields: null,
  changes,
});

/** Returns the state after the first moment and one more moment per change, or per group of changes. */
export function aTrail(...changes: readonly (SlotChange | readonly SlotChange[])[]): TrailState {
  const begun = applyMoment(EMPTY_TRAIL, moment(1, [], 'aa'));
  return changes.reduce<TrailState>(
    (state, change) => applyMoment(state, moment(state.number + 1, 'kind' in change ? [change] : change, 'aa')),
    begun,
  );
}

export const effectiveVerdict = (state: TrailState, template: Template, fingerprint: Fingerprint) =>
  trailJudge(state, template).effective(fingerprint);

export const artifactEntry = (state: TrailState, template: Template, fingerprint: Fingerprint) =>
  trailJudge(state, template).artifact(fingerprint);
