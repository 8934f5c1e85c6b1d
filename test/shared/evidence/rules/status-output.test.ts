import { describe, expect, test } from 'vitest';
import { isId } from '#shared/base/ids.ts';
import { complianceStatusOut, templateId } from '#shared/evidence/rules/status-output.ts';
import { judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { aTrail, attested, onTrail, reported, slot, templateOf } from './trails.ts';

/** A legal name of an artifact. */
const PROTO = '__proto__';

describe('a compliance status in an answer', () => {
  const template = templateOf([], { missing: [slot('foo')] });
  const out = complianceStatusOut(judgeTrail(aTrail(reported(PROTO), attested(onTrail, 'bar')), template));

  test('has its times in seconds and the id of its template', () => {
    expect(out).toMatchObject({ status: 'INCOMPLETE', is_compliant: false, evaluated_at: 1_700_000_003 });
    expect(out.flow_template_id).toBe(templateId('aa'));
    expect(Object.keys(out)).not.toContain('template');
  });

  test('has time and template only on artifacts that were reported', () => {
    expect(JSON.parse(JSON.stringify(out.artifacts_statuses[PROTO]))).toMatchObject({
      evaluated_at: 1_700_000_002,
      flow_template_id: out.flow_template_id,
      status: 'COMPLIANT',
    });
    expect(Object.keys(out.artifacts_statuses)).toEqual(['missing', PROTO]);
    expect(Object.keys(out.artifacts_statuses['missing'] ?? {})).toEqual([
      'artifact_fingerprint',
      'artifact_id',
      'status',
      'is_compliant',
      'attestations_statuses',
      'unexpected',
    ]);
  });

  test('keeps an artifact named like a prototype in its JSON text', () => {
    expect(JSON.stringify(out)).toContain('"__proto__":{"artifact_fingerprint"');
  });

  test('has different ids for different templates, including the empty template', () => {
    const digests = [null, 'a'.repeat(64), 'b'.repeat(64)];
    const ids = digests.map(templateId);
    expect(ids.every(isId)).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });
});
