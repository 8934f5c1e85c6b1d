import { describe, expect, test } from 'vitest';
import {
  ArtifactReport,
  artifactPlace,
  legacyRequirements,
  templateReferenceName,
  withLegacyRequirements,
} from '#shared/evidence/rules/artifact-report.ts';
import { judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { aTrail, attested, COMMIT_C, COMMIT_D, EMPTY, FP_1, onNamed, reported, slot, templateOf } from './trails.ts';

const least = {
  fingerprint: FP_1,
  filename: 'app',
  git_commit: COMMIT_C,
  build_url: 'https://ci.example/1',
  commit_url: 'https://git.example/c',
};
const info = { sha1: COMMIT_D, message: 'm', author: 'a', timestamp: 1 };
const parse = (more: object = {}) => ArtifactReport.parse({ ...least, ...more });
const faults = (more: object) => ArtifactReport.safeParse({ ...least, ...more }).error?.issues;

describe('the report of an artifact', () => {
  test('accepts the report of a deprecated client', () => {
    const report = parse({
      repo_url: '',
      commits_list: [{ ...info, parents: [COMMIT_C] }],
      is_compliant: null,
      extra: 1,
    });
    expect(artifactPlace(report)).toEqual({
      commit: COMMIT_C,
      filename: 'app',
      trail: COMMIT_C,
      compliant: true,
    });
    expect(report).not.toHaveProperty('extra');
  });

  test.each(['fingerprint', 'filename', 'build_url', 'commit_url'])('needs %s', (field) => {
    expect(faults({ [field]: undefined })?.map(({ path }) => path)).toEqual([[field]]);
  });

  test('needs a commit: git_commit, or else the SHA of git_commit_info', () => {
    expect(faults({ git_commit: undefined })).toMatchObject([
      { code: 'custom', path: ['git_commit'], message: 'Field required [input: None]' },
    ]);
    expect(artifactPlace(parse({ git_commit: null, git_commit_info: info })).commit).toBe(COMMIT_D);
    expect(artifactPlace(parse({ git_commit: COMMIT_D, git_commit_info: info })).commit).toBe(COMMIT_D);
  });

  test('names one commit: git_commit and the SHA of git_commit_info are equal', () => {
    expect(faults({ git_commit_info: info })).toMatchObject([
      { path: ['git_commit'], message: `Input should be git_commit_info.sha1, '${COMMIT_D}' [input: ${COMMIT_C}]` },
    ]);
    const unreadable = faults({ git_commit_info: { ...info, sha1: 7 } });
    expect(unreadable?.map(({ path }) => path.join('.'))).toEqual(['git_commit_info.sha1']);
  });

  test('a report without a commit is refused together with every other problem', () => {
    const issues = faults({ fingerprint: undefined, filename: 7, git_commit: undefined, repo_info: { id: 1 } });
    expect(issues?.map(({ path }) => path.join('.')).toSorted()).toEqual([
      'filename',
      'fingerprint',
      'git_commit',
      'repo_info.id',
    ]);
  });

  test.each([
    ['build_url', 'not an address'],
    ['commit_url', ''],
    ['git_commit', 'abc'],
    ['trail_name', 'a b'],
    ['template_reference_name', 'a.b'],
    ['filename', ''],
    ['filename', '...'],
  ])('refuses %s «%s»', (field, value) => {
    expect(faults({ [field]: value })?.map(({ path }) => path[0])).toContain(field);
  });

  test('names the label of a link with a bad fingerprint', () => {
    const issues = faults({ external_urls: { sbom: { href: 'https://s', fingerprint: 'bad' } } });
    expect(issues?.map(({ path }) => path.join('.'))).toEqual(['external_urls.sbom.fingerprint']);
  });

  test('loses the leading dots of its file name', () => {
    expect(artifactPlace(parse({ filename: '..hidden.tar' })).filename).toBe('hidden.tar');
  });

  test('goes to the trail that it names', () => {
    expect(artifactPlace(parse({ trail_name: 'build-1' }))).toMatchObject({ trail: 'build-1' });
  });

  test('is non-compliant only with an explicit false', () => {
    expect(artifactPlace(parse({ is_compliant: false })).compliant).toBe(false);
    expect(artifactPlace(parse({ is_compliant: true })).compliant).toBe(true);
  });
});

describe('the template reference name', () => {
  test('is the reported name if there is one', () => {
    const report = parse({ template_reference_name: 'mine' });
    expect(templateReferenceName(report, templateOf([], { cli: [] }))).toBe('mine');
  });

  test('is else the name of the template’s only artifact', () => {
    expect(templateReferenceName(parse(), templateOf([], { cli: [] }))).toBe('cli');
  });

  test.each([
    ['app', 'app'],
    ['registry.example:5000/team/app:1.2', 'app'],
    ['registry.example/team/app@sha256:abc', 'app'],
    ['registry.example/team/app:1.2@sha256:abc', 'app'],
    ['./build/my app.tar.gz', 'my-app-tar-gz'],
    ['.hidden', 'hidden'],
    ['dir/', 'dir'],
    ['ünïcode', '-n-code'],
    [':tag', 'artifact'],
    ['@sha256:abc', 'artifact'],
  ])('is made from the file name otherwise: %s gives %s', (filename, name) => {
    for (const template of [EMPTY, templateOf([], { one: [], two: [] })]) {
      expect(templateReferenceName(parse({ filename }), template)).toBe(name);
    }
  });

  test('is legal if it is made from a file name of any length', () => {
    const name = templateReferenceName(parse({ filename: 'x'.repeat(1000) }), EMPTY);
    expect(parse({ template_reference_name: name }).template_reference_name).toBe('x'.repeat(255));
  });
});

describe('the legacy list of control names', () => {
  test('is read from a list or a text, without the name artifact and without repetitions', () => {
    expect(legacyRequirements(parse({ template: ['artifact', ' test ', 'scan', 'test', ''] }))).toEqual([
      'test',
      'scan',
    ]);
    expect(legacyRequirements(parse({ template: 'artifact, test,scan' }))).toEqual(['test', 'scan']);
    expect(legacyRequirements(parse())).toEqual([]);
  });

  test('requires one attestation of any type per name', () => {
    const template = withLegacyRequirements(EMPTY, 'cli', ['test', 'scan']);
    const state = aTrail(reported('cli'), attested(onNamed('cli'), 'test', { type: 'junit' }));
    expect(judgeTrail(state, template).artifacts_statuses['cli']?.attestations_statuses).toMatchObject([
      { attestation_name: 'test', status: 'COMPLETE', unexpected: false },
      { attestation_name: 'scan', attestation_type: '*', status: 'MISSING' },
    ]);
  });

  test('replaces the requirements of the same artifact and keeps all others', () => {
    const before = templateOf([slot('bar')], { cli: [slot('old')], web: [slot('keep')] });
    expect(withLegacyRequirements(before, 'cli', ['new'])).toEqual(
      templateOf([slot('bar')], { web: [slot('keep')], cli: [slot('new', '*')] }),
    );
  });
});
