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
