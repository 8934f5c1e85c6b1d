import { describe, expect, test } from 'vitest';
import type { FlowId } from '#shared/base/ids.ts';
import { meetsRequirements, type Requirements, shownRequirements } from '#shared/controls/rules/requirements.ts';
import type { Grade } from '#shared/evidence/rules/verification.ts';
import { testId, testName } from '#test/support/ids.ts';

const [prod, sandbox] = [testId<FlowId>('prod'), testId<FlowId>('sandbox')];
const ALL: Requirements = { flows: [{ id: prod, name: testName('prod') }], signers: ['release'], grade: 'signed' };

describe('the requirements of a control', () => {
  const good = { flow: prod, signer: 'release', grade: 'signed' as Grade };

  test.each<[string, boolean, Parameters<typeof meetsRequirements>[1]]>([
    ['a decision with all of them', true, good],
    ['a better grade', true, { ...good, grade: 'logged' }],
    ['another flow', false, { ...good, flow: sandbox }],
    ['a flow that is not known', false, { ...good, flow: undefined }],
    ['another signer', false, { ...good, signer: 'nightly' }],
    ['no signer', false, { ...good, signer: undefined }],
    ['a lower grade', false, { ...good, grade: 'identified' }],
    ['the service itself, without the signer', false, { flow: prod, grade: 'observed' }],
  ])('%s: %s', (_, counts, facts) => {
    expect(meetsRequirements(ALL, facts)).toBe(counts);
  });

  test('what they do not name does not matter', () => {
    expect(meetsRequirements({}, { grade: 'stated' })).toBe(true);
    expect(meetsRequirements({ grade: 'signed' }, { grade: 'observed' })).toBe(true);
    expect(meetsRequirements({ signers: ['a', 'release'] }, { ...good, grade: 'stated' })).toBe(true);
  });

  test('they are shown by the names of the request', () => {
    expect(shownRequirements({})).toEqual({});
    expect(shownRequirements({ requires: ALL })).toEqual({
      requires: { flows: ['prod'], signed_by: ['release'], grade: 'signed' },
    });
  });
});
