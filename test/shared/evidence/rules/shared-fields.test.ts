import { describe, expect, test } from 'vitest';
import {
  AttestationName,
  CommitInfo,
  ControlIdentifier,
  CustomTypeName,
  commitOf,
  ExternalUrls,
  FlowName,
  linksOf,
  providerFamily,
  RepoInfo,
  TemplateArtifactName,
  TrailName,
  usableRepo,
} from '#shared/evidence/rules/shared-fields.ts';
import { COMMIT_C, FP_1 } from './trails.ts';

const takes = (schema: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe('names', () => {
  test.each([
    ['a flow', FlowName, ['a', '9.x-_~'], ['', '-a', '.a', 'a b', 'a/b', 'ä']],
    ['a trail', TrailName, ['a', '0.-_~'], ['', '~a', 'a:b', 'a#b', 'a\n']],
    ['a template artifact', TemplateArtifactName, ['-', '_a-1'], ['', 'a.b', 'a,b']],
    ['an attestation', AttestationName, ['a,b', '-_'], ['', 'a.b', 'a b']],
    ['a custom type', CustomTypeName, ['a.b-c_d~e'], ['', '.a', 'a:b']],
    ['a control', ControlIdentifier, ['-._~'], ['', 'bad identifier']],
  ])('names of %s follow their pattern', (_, schema, good, bad) => {
    expect(good.filter((name) => !takes(schema, name))).toEqual([]);
    expect(bad.filter((name) => takes(schema, name))).toEqual([]);
  });

  test('have at most 255 bytes', () => {
    expect(takes(FlowName, 'a'.repeat(255))).toBe(true);
    expect(takes(FlowName, 'a'.repeat(256))).toBe(false);
  });

  test('have the pattern as the API document spells it', () => {
    expect(FlowName.safeParse('new illegal name').error?.issues[0]).toMatchObject({
      pattern: String.raw`/^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$/`,
    });
  });
});

describe('a commit', () => {
  const least = { sha1: COMMIT_C, message: 'm', author: 'a', timestamp: 1.5 };

  test('has an empty branch where none is given, and no nulls', () => {
    expect(commitOf(CommitInfo.parse({ ...least, url: null, parents: null, later: 1 }))).toEqual({
      ...least,
      branch: '',
    });
  });

  test('keeps all fields of the API document', () => {
    const whole = {
      ...least,
      branch: 'main',
      url: 'https://git.example/c',
      author_username: 'ann',
      signature_state: 'valid',
      parents: [COMMIT_C],
      verified: false,
    };
    expect(commitOf(CommitInfo.parse(whole))).toEqual(whole);
  });

  test('is null if it is null or absent', () => {
    expect([commitOf(null), commitOf(undefined)]).toEqual([null, null]);
  });

  test.each(['sha1', 'message', 'author', 'timestamp'])('needs %s', (field) => {
    const issues = CommitInfo.safeParse({ ...least, [field]: undefined }).error?.issues;
    expect(issues?.map(({ path }) => path)).toEqual([[field]]);
  });
});

describe('a repository', () => {
  const whole = { id: '1', name: 'o/r', url: 'https://git.example/o/r' };

  test('is usable only with id, name and url', () => {
    expect(usableRepo(RepoInfo.parse(whole))).toEqual({
      ...whole,
      provider: null,
      description: null,
    });
    for (const field of ['id', 'name', 'url']) {
      expect(usableRepo(RepoInfo.parse({ ...whole, [field]: undefined }))).toBeNull();
      expect(usableRepo(RepoInfo.parse({ ...whole, [field]: '' }))).toBeNull();
    }
    expect(usableRepo(null)).toBeNull();
  });

  test('keeps its other fields', () => {
    const more = { provider: 'git', description: 'd', namespace_path: ['o'], additional_info: { a: [1] } };
    expect(usableRepo(RepoInfo.parse({ ...whole, ...more }))).toMatchObject({
      provider: 'git',
      description: 'd',
    });
  });

  test('has an id of at most 255 bytes', () => {
    expect(takes(RepoInfo, { ...whole, id: 'ä'.repeat(127) })).toBe(true);
    expect(RepoInfo.safeParse({ ...whole, id: 'ä'.repeat(128) }).error?.issues[0]).toMatchObject({
      code: 'custom',
      path: ['id'],
      message: expect.stringMatching(/^String should have at most 255 bytes in UTF-8 \[input: ä+\]$/),
    });
  });

  test('belongs to a family of providers', () => {
    const providers = ['bitbucket_cloud', 'bitbucket', 'azure-devops', 'azure_devops_server', 'GitHub', '', null];
    expect(providers.map(providerFamily)).toEqual(['bitbucket', 'bitbucket', 'azure', 'azure', 'github', null, null]);
  });
});

describe('links', () => {
  test('may be an address alone, and are stored in the full form', () => {
    const given = ExternalUrls.parse({
      a: 'https://a',
      b: { href: 'https://b', fingerprint: FP_1 },
      c: { href: 'https://c', fingerprint: null },
    });
    expect(linksOf(given)).toEqual({
      a: { href: 'https://a' },
      b: { href: 'https://b', fingerprint: FP_1 },
      c: { href: 'https://c' },
    });
    expect(linksOf(null)).toBeNull();
    expect(linksOf({})).toEqual({});
  });

  test.each(['a.b', 'a=b', ''])('do not have the label «%s»', (label) => {
    expect(takes(ExternalUrls, { [label]: 'https://a' })).toBe(false);
  });

  test('need an address', () => {
    expect(takes(ExternalUrls, { a: {} })).toBe(false);
    expect(takes(ExternalUrls, { a: '' })).toBe(false);
  });
});
