import { describe, expect, test } from 'vitest';
import {
  CHANGEABLE,
  changedFields,
  NO_TRAIL_FIELDS,
  type TrailContent,
  TrailReport,
  updatedFields,
} from '#shared/evidence/rules/trail-report.ts';
import { COMMIT_C } from './trails.ts';

const commit = { sha1: COMMIT_C, message: 'm', author: 'a', timestamp: 1, branch: 'main' };
const whole = {
  name: 'build-1',
  description: 'd',
  git_commit_info: commit,
  external_urls: { docs: 'https://d.example' },
  origin_url: 'https://ci.example/1',
};
const content = (more: Partial<TrailContent> = {}): TrailContent => ({
  ...updatedFields(NO_TRAIL_FIELDS, TrailReport.parse(whole), '{"a":1}'),
  repo_info: [],
  template: null,
  ...more,
});

describe('the report of a trail', () => {
  test('needs only a name that matches its pattern', () => {
    expect(TrailReport.parse({ name: 'a', extra: 1 })).toEqual({ name: 'a' });
    expect(TrailReport.safeParse({ name: 'foo?$bar' }).error?.issues.map(({ path }) => path)).toEqual([['name']]);
    expect(TrailReport.safeParse({}).error?.issues.map(({ path }) => path)).toEqual([['name']]);
  });

  test('sets the fields that it gives', () => {
    expect(content()).toEqual({
      description: 'd',
      user_data: '{"a":1}',
      git_commit_info: commit,
      external_urls: { docs: { href: 'https://d.example' } },
      origin_url: 'https://ci.example/1',
      repo_info: [],
      template: null,
    });
  });

  test('leaves absent fields and null fields unchanged', () => {
    const { repo_info: _, template: __, ...fields } = content();
    expect(updatedFields(fields, TrailReport.parse({ name: 'a' }), undefined)).toEqual(fields);
    const nulls = TrailReport.parse({ name: 'a', description: null, git_commit_info: null, external_urls: null });
    expect(updatedFields(fields, nulls, ' null')).toEqual(fields);
  });

  test('sets empty values too', () => {
    const report = TrailReport.parse({ name: 'a', description: '', origin_url: '', external_urls: {} });
    expect(updatedFields(content(), report, '{}')).toMatchObject({
      description: '',
      user_data: '{}',
      origin_url: '',
      external_urls: {},
    });
  });
});

describe('changes of a trail', () => {
  test('are empty if the same report is sent again', () => {
    expect(changedFields(content(), content())).toEqual([]);
    expect(changedFields(content(), content({ git_commit_info: { ...commit } }))).toEqual([]);
  });

  test('are named in the documented order', () => {
    const after: TrailContent = { ...NO_TRAIL_FIELDS, repo_info: ['r'], template: 'aa' };
    expect(changedFields(content(), after)).toEqual([...CHANGEABLE]);
  });

  test.each([
    ['git_commit_info', { git_commit_info: { ...commit, branch: 'other' } }],
    ['template', { template: 'bb' }],
    ['repo_info', { repo_info: ['new'] }],
    ['external_urls', { external_urls: { docs: { href: 'https://other.example' } } }],
    ['description', { description: '' }],
  ])('name %s alone', (name, more) => {
    expect(changedFields(content(), content(more))).toEqual([name]);
  });

  test('compare user data as JSON text: white space outside strings does not matter, digits do', () => {
    const changed = (a: string | null, b: string | null) =>
      changedFields(content({ user_data: a }), content({ user_data: b })).length > 0;
    expect(changed('{"a":[1,2]}', ' { "a" : [1,\n2] } ')).toBe(false);
    expect(changed(String.raw`{"a":"x\" y"}`, String.raw`{ "a": "x\" y" }`)).toBe(false);
    expect(changed(String.raw`{"a":"x\" y"}`, String.raw`{"a":"x\"y"}`)).toBe(true);
    expect(changed(String.raw`["\\"," "]`, String.raw`["\\",""]`)).toBe(true);
    expect(changed('12345678901234567890', '12345678901234567891')).toBe(true);
    expect(changed(null, '{}')).toBe(true);
  });

  test('compare user data of any depth', () => {
    const deep = (gap: string) => '['.repeat(100_000) + gap + ']'.repeat(100_000);
    expect(changedFields(content({ user_data: deep('') }), content({ user_data: deep(' ') }))).toEqual([]);
  });
});
