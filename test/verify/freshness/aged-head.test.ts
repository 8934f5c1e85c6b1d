import { describe, expect, it } from 'vitest';
import { AttestationId, EnvironmentId, storedFingerprint, TrailId } from '#shared/base/ids.ts';
import { type Micros, micros, minus, plus } from '#shared/base/time.ts';
import type { MomentChange } from '#shared/evidence/rules/trail-state.ts';
import type { AgedContent } from '#verify/freshness/aged-contents.ts';
import { AgedHead } from '#verify/freshness/aged-head.ts';
import { type AgedRule, AgedSlots } from '#verify/freshness/aged-slots.ts';

const DAY = 86_400_000_000;
const NOW = micros(1_800_000_000_000_000);
const LATER = plus(NOW, 10 * DAY);
const trail = TrailId.parse('trail');
const fingerprint = storedFingerprint('f'.repeat(64));
const rule: AgedRule = { name: 'pentest', type: 'generic', mustBeCompliant: true, allowed: 30 * DAY, asksMore: false };

/** A content that one satisfied rule was evaluated for. */
const content = (at: Micros, isLogical = false): AgedContent => ({
  isLogical,
  results: [
    {
      ...{ policy: 'aged', what: 'pentest', rule, allowed: rule.allowed, outcome: { type: 'rule_satisfied' }, at },
      ...{ trail, fingerprint, isAllowed: false, text: () => 'policy aged' },
    },
  ],
});

const attested = (at: Micros, proof?: { grade: 'signed' }): MomentChange => ({
  ...{ kind: 'trail_attestation_for_artifact_reported', at, template: null, ownTemplate: null, fields: null },
  changes: [
    { ...{ kind: 'artifact', fingerprint, name: 'web', commit: '', compliant: true }, id: 'report' },
    {
      ...{ kind: 'attestation', scope: { kind: 'fingerprint', fingerprint }, name: 'pentest', type: 'generic' },
      ...{ id: AttestationId.parse(`attestation ${at}`), compliant: true, overridden: null, ...(proof && { proof }) },
    },
  ],
});

interface Given {
  evaluatedAt?: Micros;
  freshUntil: Micros;
  of?: AgedContent;
  moments: readonly MomentChange[];
  hasRecalls?: boolean;
}

/** Reads the moments of the trail, and compares the head as of ten days later. */
function verify({ evaluatedAt = NOW, freshUntil, of = content(NOW), moments, hasRecalls = false }: Given): void {
  const aged = new AgedSlots();
  aged.hasRecalls = hasRecalls;
  const id = EnvironmentId.parse('prod');
  const head = new AgedHead('line 1', { id, name: 'prod', index: 1, evaluatedAt, freshUntil });
  head.ask(aged, of);
  for (const moment of moments) aged.add(trail, moment);
  aged.finish(trail);
  head.verify(LATER);
}

describe('the instant until which the verdict of an environment is fresh', () => {
  const moments = [attested(minus(NOW, DAY))];

  it('is the end of the attestation that counts', () => {
    expect(() => verify({ moments, freshUntil: plus(NOW, 29 * DAY) })).not.toThrow();
    expect(() => verify({ moments, freshUntil: plus(NOW, 30 * DAY) })).toThrow(/environment prod is fresh until/);
  });

  it('is that of the evaluation in a logical environment, whatever its head says', () => {
    const late = content(plus(NOW, DAY / 24), true);
    const between = [...moments, attested(plus(NOW, DAY / 48))];
    for (const evaluatedAt of [NOW, micros(0)]) {
      const given = { of: late, moments: between, evaluatedAt };
      expect(() => verify({ ...given, freshUntil: plus(NOW, 30 * DAY + DAY / 48) })).not.toThrow();
      expect(() => verify({ ...given, freshUntil: plus(NOW, 29 * DAY) })).toThrow(/environment prod is fresh until/);
    }
  });

  it('is unknown if recalls may have changed one state of the trail, whatever the later states are', () => {
    const replaced = [attested(minus(NOW, DAY), { grade: 'signed' }), attested(plus(NOW, 1_000_000))];
    const freshUntil = plus(NOW, 20 * DAY);
    expect(() => verify({ moments: replaced, freshUntil, hasRecalls: true })).not.toThrow();
    expect(() => verify({ moments: replaced, freshUntil })).toThrow(/environment prod is fresh until/);
  });
});
