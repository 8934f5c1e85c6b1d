import { expect, it } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { arrivalsIn, completionsIn, decisionsIn } from '#shared/expectations/rules/arrivals.ts';
import { testId, testName } from '#test/support/ids.ts';

const flow = testId<MomentFacts['flow']>('flow-1');

function moment(
  at: number,
  number: number,
  changes: MomentFacts['content']['changes'],
  word = 'INCOMPLETE',
): MomentFacts {
  const trail = testId<MomentFacts['trail']>('trail-1');
  const content = { changes, word, by: { name: 'ci' } };
  return { kind: 'trail_reported', at: micros(at), number, flow, trail, name: testName('one'), content };
}

const attestation = (name: string, type: string, compliant = true) => ({
  kind: 'attestation' as const,
  scope: { kind: 'trail' as const },
  name,
  type,
  id: testId<AttestationId>(`${name}-${type}`),
  compliant,
  overridden: null,
});

it('the first moment of a trail is a beginning, and only compliant attestations arrive', () => {
  const moments = [
    moment(1, 1, []),
    moment(2, 2, [attestation('unit', 'junit', false)]),
    moment(3, 3, [attestation('unit', 'junit')]),
  ];
  const found = arrivalsIn(moments, new Map()).map(({ sort, value, at }) => [sort, value, at]);
  expect(found).toEqual([
    ['begun', '', 1],
    ['name', 'unit', 3],
    ['type', 'junit', 3],
  ]);
});

it('the latest arrival counts, in whatever order moments come', () => {
  const moments = [moment(9, 3, [attestation('unit', 'junit')]), moment(5, 2, [attestation('unit', 'junit')])];
  expect(arrivalsIn(moments, new Map()).map(({ at }) => at)).toEqual([9, 9]);
});

it('a compliant decision arrives about its control; one that is not compliant names no control to read', () => {
  const decided = attestation('ok', 'decision');
  const moments = [moment(2, 2, [decided]), moment(3, 3, [attestation('no', 'decision', false)])];
  expect(decisionsIn(moments)).toEqual([decided.id]);
  const found = arrivalsIn(moments, new Map([[decided.id, 'C-1']]));
  expect(found.find(({ sort }) => sort === 'control')).toMatchObject({ value: 'C-1', at: 2, flow });
});

it('a signed bundle may be a decision, so its record is read; evidence that nobody signed is not', () => {
  const signature = { root: { name: 'own', version: 1 }, times: [] };
  const signed = { ...attestation('gate', 'vsa'), proof: { grade: 'signed' as const, signature } };
  const stated = { ...attestation('other', 'vsa'), proof: { grade: 'stated' as const } };
  expect(decisionsIn([moment(2, 2, [signed, stated, attestation('unit', 'junit')])])).toEqual([signed.id]);
});

it('a trail is complete at the first instant at which it is compliant', () => {
  const moments = [moment(7, 3, [], 'COMPLIANT'), moment(5, 2, [], 'COMPLIANT'), moment(1, 1, [])];
  expect(completionsIn(moments)).toEqual([{ flow, id: 'trail-1', trail: 'one', at: 5 }]);
});
