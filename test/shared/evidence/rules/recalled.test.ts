import { describe, expect, test } from 'vitest';
import { type Micros, minus } from '#shared/base/time.ts';
import { reasonsAgainst } from '#shared/evidence/rules/incompliance-reasons.ts';
import { countedState, hasSignature, recalledSlots, withRecalledSince } from '#shared/evidence/rules/recalled.ts';
import { type SlotProof, slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { applyMoment, EMPTY_TRAIL, type SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { judgeTrail, trailJudge } from '#shared/evidence/rules/verdict.ts';
import { unsigned } from '#shared/evidence/rules/verification.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { testId } from '#test/support/ids.ts';
import {
  attested,
  FP_1,
  FP_2,
  moment,
  onFingerprint,
  onTrail,
  reported,
  secondsIn,
  slot,
  templateOf,
} from './trails.ts';

const signedBy = (name: string, more: object = {}): { proof: SlotProof } => {
  const proof = slotProof({
    verification: {
      ...unsigned('signed'),
      signer: { name, version: 1 },
      root: { name: 'own', version: 1, digest: 'd' },
      ...more,
    },
  });
  if (!proof) throw new Error('a verified signature left no proof');
  return { proof };
};
const recall = (name: string, signer: string, more: Partial<Recall> = {}): Recall => ({
  name,
  version: 3,
  target: { kind: 'signer', signer },
  from: null,
  until: null,
  deleted: false,
  changedAt: secondsIn(100),
  reason: 'the key leaked',
  ...more,
});

/** A trail as it is stored, and by what counts. The n-th change is moment n. */
function aTrail(...changes: readonly SlotChange[]) {
  const moments = changes.map((change, i) => moment(i + 1, [change], null));
  const state = moments.reduce(applyMoment, EMPTY_TRAIL);
  return {
    state,
    counted: (...recalls: readonly Recall[]) => countedState(state, moments, recalls, recalledSlots(state, recalls)),
  };
}
const scan = (id: string, more: Partial<Extract<SlotChange, { kind: 'attestation' }>> = {}) =>
  attested(onTrail, 'scan', { id: testId(id), ...more });
const SCAN = templateOf([slot('scan')]);

describe('the state by what counts', () => {
  test('is the same without recalls, and has no signature where nothing was signed', () => {
    const signed = aTrail(scan('a', signedBy('release')));
    expect([hasSignature(signed.state), hasSignature(aTrail(scan('a')).state)]).toEqual([true, false]);
    expect(recalledSlots(signed.state, [recall('leak', 'other')])).toEqual([]);
    expect(judgeTrail(signed.counted(recall('leak', 'other')), SCAN)).toEqual(judgeTrail(signed.state, SCAN));
  });

  test('has an empty slot where nothing else was reported, and says what was recalled', () => {
    const { counted } = aTrail(scan('a', signedBy('release')));
    const entry = {
      attestation_name: 'scan',
      attestation_type: 'generic',
      attestation_id: 'a',
      recalls: [{ name: 'leak', version: 3, since: 1_700_000_100 }],
    };
    expect(judgeTrail(counted(recall('leak', 'release')), SCAN)).toMatchObject({
      status: 'INCOMPLETE',
      attestations_statuses: [{ attestation_name: 'scan', status: 'MISSING', attestation_id: null, recalled: entry }],
      recalled: [entry],
    });
  });

  test('has the record before it with its own verdict, also that of another author', () => {
    const { counted } = aTrail(scan('a', { compliant: false }), scan('b', signedBy('release')));
    const status = judgeTrail(counted(recall('leak', 'release')), SCAN);
    expect(status).toMatchObject({
      status: 'NON-COMPLIANT',
      attestations_statuses: [{ attestation_id: 'a', recalled: { attestation_id: 'b' } }],
    });
    expect(reasonsAgainst('NON-COMPLIANT', status.attestations_statuses)).toEqual([
      "Attestation 'scan' of type 'generic' is non-compliant: the newest was recalled by 'leak'",
    ]);
  });

  test('skips several recalled records, and those of overlapping recalls once', () => {
    const { counted } = aTrail(
      scan('a'),
      scan('b', signedBy('release')),
      scan('c', signedBy('backup')),
      scan('d', signedBy('release')),
    );
    const [one, other, again] = [recall('one', 'release'), recall('other', 'backup'), recall('again', 'release')];
    const latest = (...recalls: Recall[]) => judgeTrail(counted(...recalls), SCAN).attestations_statuses[0];
    expect(latest(one)?.attestation_id).toBe('c');
    expect(latest(one, other)?.attestation_id).toBe('a');
    expect(latest(one, other, again)?.recalled?.recalls.map(({ name }) => name)).toEqual(['one', 'again']);
    // What one recall leaves to another one stays recalled.
    expect(latest(again)?.attestation_id).toBe('c');
    expect(latest({ ...one, deleted: true }, { ...again, deleted: true })?.attestation_id).toBe('d');
  });

  test('stays as it was in the past, and says what was recalled since, beside what was recalled then', () => {
    const { counted } = aTrail(scan('a', signedBy('backup')), scan('b', signedBy('release')));
    const then = recall('then', 'release');
    const past = counted(then);
    const since = withRecalledSince(past, [then, recall('since', 'backup')]);
    const { status, attestations_statuses: entries, recalled } = judgeTrail(since, SCAN);
    // The entry says of its own record that it was recalled since. The newer one did not count then either.
    expect([status, entries]).toMatchObject([
      'COMPLIANT',
      [{ attestation_id: 'a', recalled: { attestation_id: 'a', recalls: [{ name: 'since' }] } }],
    ]);
    expect(recalled?.map(({ attestation_id: id, recalls }) => [id, recalls[0]?.name])).toEqual([
      ['a', 'since'],
      ['b', 'then'],
    ]);
    expect(withRecalledSince(past, [then])).toBe(past);
  });

  test('keeps a recalled bundle that is reported again out, and takes the signature of another signer', () => {
    const bundle = signedBy('release', { bundle_digest: 'b', times: [{ at: 1_700_000_001, from: 'log' }] });
    const until = recall('leak', 'release', { until: secondsIn(2) });
    expect(judgeTrail(aTrail(scan('a', bundle), scan('b', bundle)).counted(until), SCAN).status).toBe('INCOMPLETE');
    const other = aTrail(scan('a', bundle), scan('b', signedBy('backup')));
    expect(judgeTrail(other.counted(until), SCAN)).toMatchObject({ status: 'COMPLIANT' });
    expect(judgeTrail(other.counted(until), SCAN)).not.toHaveProperty('recalled');
  });

  test('concerns only the artifact that the evidence is about', () => {
    const { counted } = aTrail(
      reported('cli', { fingerprint: FP_1 }),
      reported('web', { fingerprint: FP_2 }),
      attested(onFingerprint(FP_1), 'scan', signedBy('release')),
      attested(onFingerprint(FP_2), 'scan', signedBy('backup')),
    );
    const judge = trailJudge(
      counted(recall('leak', 'release')),
      templateOf([], { cli: [slot('scan')], web: [slot('scan')] }),
    );
    expect(judge.status().recalled).toBeUndefined();
    expect(judge.artifact(FP_1)).toMatchObject({ status: 'INCOMPLETE', recalled: [{ attestation_name: 'scan' }] });
    expect(judge.artifact(FP_2)).toMatchObject({ status: 'COMPLIANT' });
    expect(judge.artifact(FP_2)).not.toHaveProperty('recalled');
  });

  test('goes by the period: nothing proves the time, so the report decides', () => {
    const { counted } = aTrail(scan('a', signedBy('release')));
    const status = (from: Micros) => judgeTrail(counted(recall('leak', 'release', { from })), SCAN).status;
    expect(status(secondsIn(1))).toBe('INCOMPLETE');
    expect(status(secondsIn(2))).toBe('COMPLIANT');
    expect(status(minus(secondsIn(1), 1))).toBe('INCOMPLETE');
  });

  test('matches long builders and runs by their digests', () => {
    const long = `https://ci.example/${'x'.repeat(600)}`;
    const signed = aTrail(scan('a', signedBy('release', { run: long, statement: { builder: { id: long } } })));
    const status = (target: Recall['target']) =>
      judgeTrail(signed.counted(recall('leak', '', { target })), SCAN).status;
    expect(status({ kind: 'run', run: long })).toBe('INCOMPLETE');
    expect(status({ kind: 'builder', builder: long })).toBe('INCOMPLETE');
    expect(status({ kind: 'builder', builder: `${long}y` })).toBe('COMPLIANT');
    const short = aTrail(scan('a', signedBy('release', { statement: { builder: { id: 'https://ci.example' } } })));
    const target = { kind: 'builder', builder: 'https://ci.example' } as const;
    expect(judgeTrail(short.counted(recall('leak', '', { target })), SCAN).status).toBe('INCOMPLETE');
  });
});
