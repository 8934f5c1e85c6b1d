import { describe, expect, it } from 'vitest';
import type { CheckedReceipt } from '#console/proof/model/check-receipt.ts';
import { momentNumber, recordCheck, type ShownRecord } from '#console/proof/model/shown-record.ts';

const event = (type: string, more: object = {}) => ({ type, timestamp: 1, ...more });
const EVENTS = [
  event('trail_reported'),
  event('artifact_creation_reported', { artifact_id: 'a' }),
  event('artifact_started_running', { artifact_fingerprint: 'f' }),
  event('trail_attestation_reported', { attestation_id: 'b' }),
];

describe('the number of a moment', () => {
  // Events of a trail have many more fields, which play no part here.
  const trail = { events: EVENTS } as unknown as Parameters<typeof momentNumber>[0];

  it('counts reports and not what started or stopped', () => {
    expect(momentNumber(trail)).toBe(3);
    expect(momentNumber(trail, 'a')).toBe(2);
    expect(momentNumber(trail, 'b')).toBe(3);
  });
  it('is null for what the trail does not have', () => {
    expect(momentNumber(trail, 'c')).toBe(null);
    expect(momentNumber({ events: [] })).toBe(null);
  });
});

describe('the record on a page', () => {
  const TEXT = '{"id":"a","fingerprint":"f","name":"worker","commit":"c","trail":"r","at":1500000}';
  const ARTIFACT = {
    artifact_id: 'a',
    fingerprint: 'f',
    template_reference_name: 'worker',
    git_commit: 'c',
    trail_name: 'r',
    created_at: 1.5,
  };
  const HEADER = { org: 'o', subject: {}, number: 1, kind: 'k', at: 1, commitments: {} };
  const checkOf = (artifact: object, text: string | null = TEXT) => {
    const checked: CheckedReceipt = { checks: [], place: null, header: HEADER, texts: new Map([['record', text]]) };
    // The other fields of an artifact are not compared.
    return recordCheck({ kind: 'artifact', org: 'o', artifact } as unknown as ShownRecord, checked);
  };

  it('is right if everything that is shown is in the text of the log', () => {
    expect(checkOf(ARTIFACT)).toMatchObject({ isRight: true });
    expect(checkOf(ARTIFACT).says).toMatch(/id, fingerprint, name in the template, commit, trail, time/);
  });
  it.each(Object.keys(ARTIFACT))('is wrong if %s differs, and says both values', (name) => {
    const check = checkOf({ ...ARTIFACT, [name]: 'other' });
    expect(check.isRight).toBe(false);
    expect(check.says).toMatch(/is "other" here and .* in the log/);
  });
  it('is wrong if the text is missing or was wrong itself', () => {
    expect(checkOf(ARTIFACT, null).isRight).toBe(false);
  });
});

describe('other records on a page', () => {
  const header = (more: object) => ({
    org: 'o',
    number: 0,
    at: 1_500_000,
    commitments: {},
    kind: 'k',
    subject: {},
    ...more,
  });
  const checkOf = (shown: object, texts: Record<string, object | null>, more: object) => {
    const found = new Map(Object.entries(texts).map(([name, text]) => [name, text && JSON.stringify(text)]));
    const checked: CheckedReceipt = { checks: [], place: null, header: header(more), texts: found };
    // Fields that are not compared are left out.
    return recordCheck({ org: 'o', ...shown } as unknown as ShownRecord, checked);
  };

  describe('an entry of the audit log', () => {
    const actor = { kind: 'user', id: 'u', name: 'ann', key_id: null };
    const subject = { type: 'member', id: 'm', name: 'bob' };
    const entry = { id: 'e', at: 1.5, kind: 'member.removed', actor, subject, before: { role: 'admin' }, after: null };
    const texts = { entry: { actor, subject }, values: { before: { role: 'admin' }, after: null } };
    const more = { kind: 'member.removed', subject: { entry: 'e' } };

    it('is right if caller, subject, values, change and time are in the log', () => {
      const { isRight, says } = checkOf({ kind: 'audit', entry }, texts, more);
      expect([isRight, says]).toEqual([true, expect.stringContaining('caller, subject, values before, values after')]);
    });
    it.each([
      ['before', { role: 'reader' }],
      ['after', { role: 'reader' }],
      ['subject', { ...subject, name: 'rob' }],
      ['actor', { ...actor, id: 'x' }],
      ['kind', 'member.added'],
      ['at', 2],
      ['id', 'f'],
    ])('is wrong if %s differs', (name, value) => {
      expect(checkOf({ kind: 'audit', entry: { ...entry, [name]: value } }, texts, more).isRight).toBe(false);
    });
    it('is right without its values if they were erased', () => {
      const erased = { ...entry, before: null, erased: { at: 1, reason: 'r' } };
      expect(checkOf({ kind: 'audit', entry: erased }, { ...texts, values: null }, more).isRight).toBe(true);
    });
  });

  describe('an evaluation', () => {
    const evaluation = {
      ...{ id: 'v', status: 'completed', requested_at: 1, requested_by: 'ann', recorded_at: 1, error: null },
      ...{ result: { allow: false, violations: ['no'] }, decision_attestation_id: null },
      proof: { policy_sha256: 'p', engine_version: '1' },
    };
    const text = {
      ...{ status: 'completed', requested: 1_000_000, recorded: 1_000_000, by: { name: 'ann' }, error: null },
      ...{ allow: false, decisionId: null, proof: { policy: 'p', version: '1' } },
    };
    const texts = { evaluation: text, result: { allow: false, violations: ['no'] } };
    const more = { subject: { evaluation: 'v' } };

    it('is right if request, verdict, violations and program are in the log', () => {
      expect(checkOf({ kind: 'evaluation', evaluation }, texts, more)).toMatchObject({ isRight: true });
    });
    it.each([
      ['id', 'w'],
      ['status', 'failed'],
      ['requested_by', 'bob'],
      ['result', { allow: true, violations: ['no'] }],
      ['result', { allow: false, violations: [] }],
      ['proof', { policy_sha256: 'q', engine_version: '1' }],
      ['decision_attestation_id', 'd'],
    ])('is wrong if %s differs: %j', (name, value) => {
      const shown = { ...evaluation, [name]: value };
      expect(checkOf({ kind: 'evaluation', evaluation: shown }, texts, more).isRight).toBe(false);
    });
    it('is right without its result if it was erased', () => {
      const shown = { ...evaluation, result: null, erased: { at: 1, reason: 'r' } };
      expect(checkOf({ kind: 'evaluation', evaluation: shown }, { ...texts, result: null }, more).isRight).toBe(true);
    });
  });
});
