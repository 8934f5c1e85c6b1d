import { expect, test } from 'vitest';
import { PolicyFileError, readPolicyFiles } from '#shared/evaluations/policy-files.ts';
import { fromPlain, toPlain } from '#shared/rego/values/plain.ts';

const MODULE = 'package policy\n';
const dataOf = (files: Record<string, string>) =>
  toPlain(fromPlain(Object.fromEntries(readPolicyFiles({ 'policy.rego': MODULE, ...files }).data)));

test('files that end with .rego are modules, sorted by path', () => {
  const files = { 'z.rego': 'package z', 'lib/a.rego': 'package a', 'README.md': '# Read me', LICENSE: 'any' };
  expect(readPolicyFiles(files).modules).toEqual([
    { path: 'lib/a.rego', text: 'package a' },
    { path: 'z.rego', text: 'package z' },
  ]);
});

test('a single file is a module, whatever its name is', () => {
  expect(readPolicyFiles({ 'policy.txt': MODULE }).modules).toEqual([{ path: 'policy.txt', text: MODULE }]);
  expect(readPolicyFiles({ 'data.json': '{}' }).modules).toEqual([]);
});

test('JSON and YAML files are data under their folders, and objects of several files are merged', () => {
  const files = {
    'data.json': '{"limits": {"high": 3}, "__proto__": {"polluted": true}}',
    './limits/data.json': '{"low": 1}',
    'a/b/data.yaml': 'list:\n  - 1\n  - two\n',
    'a/b/other.yml': 'also: true\n',
    'a\\c\\list.JSON': '[1.0, 12345678901234567890]',
  };
  const expected = {
    limits: { high: 3, low: 1 },
    a: { b: { list: [1, 'two'], also: true }, c: [1, 12345678901234567890n] },
  };
  expect(dataOf(files)).toMatchObject(expected);
  expect(Object.getOwnPropertyDescriptor(dataOf(files), '__proto__')?.value).toEqual({ polluted: true });
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test.each([
  ['defines params', { 'data.json': '{"params": 1}' }, 'data.json: data files may not define data.params'],
  ['lies in a folder params', { 'params/x.yaml': 'a: 1' }, 'params/x.yaml: data files may not define data.params'],
  ['defines policy', { 'policy/data.json': '{}' }, 'policy/data.json: data files may not define data.policy'],
  ['is a list at the root', { 'list.json': '[]' }, 'list.json: data outside of folders has to be an object'],
  ['is not JSON', { 'a/data.json': '{\n  "a": nope}' }, /^a\/data\.json: .*nope.* is not valid JSON$/s],
  ['ends too early', { 'data.json': '{\n"a": 1' }, /^data\.json: .+\(line 2 column 7\)$/],
  ['is not YAML', { 'data.yml': 'a: [1' }, /^data\.yml: line 1, column \d+: /],
  ['has YAML that refers to itself', { 'data.yml': 'a: &x 1' }, 'data.yml: line 1, column 4: anchors are not allowed'],
  ['defines what another defines', { 'a.json': '{"x": {"y": 1}}', 'b.json': '{"x": 2}' }, /^b\.json: another file/],
])('a file of data that %s is refused by its path', (_, files, message) => {
  const error = (() => {
    try {
      return dataOf(files);
    } catch (caught) {
      return caught;
    }
  })();
  expect(error).toBeInstanceOf(PolicyFileError);
  const text = (error as Error).message;
  if (typeof message === 'string') expect(text).toBe(message);
  else expect(text).toMatch(message);
});
