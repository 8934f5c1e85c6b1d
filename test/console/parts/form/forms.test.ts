import { describe, expect, it } from 'vitest';
import { curlOfWrite } from '#console/model/commands.ts';
import { remedyFor, remedyForWrite } from '#console/model/remedies.ts';
import {
  area,
  choice,
  findProblems,
  initialValues,
  isChanged,
  line,
  names,
  pairsProblem,
  pairsText,
  placeErrors,
  programsText,
  readPairs,
  readPrograms,
  tagChange,
  ticks,
  type Write,
} from '#console/parts/form/model/forms.ts';
import { whyNot } from '#console/people/model/access.ts';

const fields = {
  name: line('Name'),
  note: area('Note', { isOptional: true }),
  role: choice('Role', [
    ['reader', 'reader'],
    ['admin', 'admin'],
  ]),
  triggers: ticks('When', [['a', 'a']]),
  flows: names('Flows', { isOptional: true, initial: ['web'] }),
};
const form = { fields } as unknown as Write;
const given = (values: object) => ({ ...initialValues(fields), ...values });

describe('a form', () => {
  it('begins with the values of its fields, and knows whether somebody changed one', () => {
    expect(initialValues(fields)).toEqual({ name: '', note: '', role: 'reader', triggers: [], flows: ['web'] });
    expect(isChanged(fields, given({}))).toBe(false);
    expect(isChanged(fields, given({ flows: ['web', 'api'] }))).toBe(true);
  });

  it('names the fields that are empty and must not be, and what the form checks itself', () => {
    expect(Object.fromEntries(findProblems(form, given({ name: '  ' })))).toEqual({
      name: 'Fill this in.',
      triggers: 'Choose at least one.',
    });
    const checked = { ...form, check: () => ({ note: 'Too short.' }) };
    expect(Object.fromEntries(findProblems(checked, given({ name: 'x', triggers: ['a'] })))).toEqual({
      note: 'Too short.',
    });
  });

  it.each([
    ['of a field', { name: 'Too long [input: xxx]' }, { name: 'Too long' }],
    ['of an entry of a field', { 'flows[1]': 'is unknown' }, { flows: 'api: is unknown' }],
    ['of two entries', { 'flows[0]': 'one', 'flows[1]': 'two' }, { flows: 'web: one\napi: two' }],
    ['of no field', { 'query.page': 'is wrong' }, { '': 'query.page: is wrong' }],
    ['of a name that every object has', { constructor: 'is wrong' }, { '': 'constructor: is wrong' }],
  ])('shows an error of the API %s where it belongs', (_, errors, placed) => {
    const found = placeErrors(form, given({ flows: ['web', 'api'] }), new Map(Object.entries(errors)));
    expect(Object.fromEntries(found)).toEqual(placed);
  });

  it('lets a form say which field an error belongs to', () => {
    const policy = { fields, errorPlace: () => ({ field: 'note' }) };
    const errors = new Map([['artifacts.attestations[0].type', 'Field required']]);
    expect(Object.fromEntries(placeErrors(policy, given({}), errors))).toEqual({
      note: 'artifacts.attestations[0].type: Field required',
    });
  });
});

describe('texts of fields', () => {
  it('reads pairs that it wrote, and pairs with a colon', () => {
    const pairs = { team: 'payments', __proto__x: 'a = b', url: 'https://example.com/a?b=c' };
    expect(readPairs(pairsText(pairs))).toEqual(pairs);
    expect(readPairs('team: payments\n\n tier=1 ')).toEqual({ team: 'payments', tier: '1' });
    expect(pairsProblem('team = x\n\ntier')).toContain(': tier');
    expect(pairsProblem('team = x\nempty =')).toBeUndefined();
  });

  it('finds what changes one set of tags into another', () => {
    expect(tagChange({ a: '1', b: '2', c: '3' }, { a: '1', b: '4', d: '5' })).toEqual({
      set_tags: { b: '4', d: '5' },
      remove_tags: ['c'],
    });
  });

  it('reads programs that it wrote, also those of several lines', () => {
    expect(readPrograms('.a == 0\n\n.b\n  | length > 1\n')).toEqual(['.a == 0', '.b\n| length > 1']);
    const programs = ['.a == 0', '.b\n| length > 1'];
    expect(readPrograms(programsText(programs))).toEqual(programs);
  });
});

describe('who may', () => {
  const one = (doing: string, access: string) => ({ doing, operation: { access } });
  it.each([
    ['admin', null],
    ['member', 'Only admins may add people and change roles. Your role here is member.'],
    [
      'snapshotter',
      'Only members and admins may edit the flow. Only admins may add people and change roles. Your role here is snapshotter.',
    ],
  ])('%s', (role, sentence) => {
    const writes = [one('add people', 'admin'), one('edit the flow', 'member'), one('change roles', 'admin')];
    expect(whyNot(writes, role)).toBe(sentence);
  });
});

describe('a write without an answer', () => {
  it.each([0, 400, 401, 403, 404, 409, 413, 429, 500, 503])('%i: says what to do about the write', (status) => {
    const remedy = remedyForWrite({ status, retryAfter: 7 });
    expect(remedy).toMatch(/Nothing was changed|is kept/);
    expect(remedy).not.toContain('filters');
    expect(remedy).not.toBe(remedyFor({ status, retryAfter: 7 }));
  });
});

describe('curlOfWrite', () => {
  const host = 'https://evidence.example';
  it('writes the call with a body, quoted for a shell', () => {
    const text = curlOfWrite(host, { method: 'PUT', path: '/api/v2/x', body: { name: "o'neill" } });
    expect(text).toContain(`curl -X PUT ${host}/api/v2/x`);
    expect(text).toContain(`-d '{"name":"o'\\''neill"}'`);
  });
  it('writes a call without a body', () => {
    expect(curlOfWrite(host, { method: 'DELETE', path: '/api/v2/x' })).not.toContain('-d');
  });
  it('writes a form whose files come from the folder', () => {
    const files = { policy_file: { name: 'policy.yml' } };
    const text = curlOfWrite(host, { method: 'PUT', path: '/x', body: { name: 'a;type=b' }, part: 'payload', files });
    expect(text).toContain(`--form-string 'payload={"name":"a;type=b"}'`);
    expect(text).toContain('-F policy_file=@policy.yml');
    expect(text).not.toContain('Content-Type');
  });
});
