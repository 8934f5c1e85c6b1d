import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ControlLinks } from '#functions/controls/change-control.ts';
import { noErrors, validate } from '#shared/base/validation.ts';
import { ArtifactReport } from '#shared/evidence/rules/artifact-report.ts';
import { ATTESTATION_KINDS, type KindName } from '#shared/evidence/rules/attestation-kinds.ts';
import { TrailReport } from '#shared/evidence/rules/trail-report.ts';
import { COMMIT_C, FP_1 } from './trails.ts';

const COMMIT = { sha1: COMMIT_C, message: 'm', author: 'A', timestamp: 1 };
const REPO = { id: '1', name: 'o/r' };
const ARTIFACT = { fingerprint: FP_1, filename: 'a', git_commit: COMMIT_C };
const ADDRESSES = { build_url: 'https://ci.example', commit_url: 'https://git.example' };
const CHECK = { attestation_name: 'check' };
const Control = z.object({ links: ControlLinks });

/** A field of a request that holds an address: its name in errors, its schema, and a body with the address in the field. */
type Field = [name: string, schema: z.ZodType, body: (address: string) => object];

const kind = (name: KindName): z.ZodType => ATTESTATION_KINDS[name].schema;
const artifact = (fields: object) => ({ ...ARTIFACT, ...ADDRESSES, ...fields });
const pull = (fields: object) => ({ ...CHECK, pull_requests: [{ url: 'https://git.example/1', ...fields }] });
const sonar = (fields: object) => ({ ...CHECK, sonar_results: fields });
const COMMON: readonly [string, z.ZodType, object][] = [
  ['a trail', TrailReport, { name: 'run' }],
  ['an artifact', ArtifactReport, artifact({})],
  ['an attestation', kind('generic'), CHECK],
];

/** Fields that must have an address (rules/attestations.md#addresses-in-evidence). */
const REQUIRED: readonly Field[] = [
  ['build_url', ArtifactReport, (build_url) => artifact({ build_url })],
  ['commit_url', ArtifactReport, (commit_url) => artifact({ commit_url })],
  ['links.docs', Control, (docs) => ({ links: { docs } })],
  ...COMMON.flatMap(([, schema, least]): Field[] => [
    ['external_urls.log', schema, (log) => ({ ...least, external_urls: { log } })],
    ['external_urls.log.href', schema, (href) => ({ ...least, external_urls: { log: { href, fingerprint: FP_1 } } })],
  ]),
];
/** Fields in which clients also send an empty text. */
const OPTIONAL: readonly Field[] = [
  ['origin_url', TrailReport, (origin_url) => ({ name: 'run', origin_url })],
  ['origin_url', kind('generic'), (origin_url) => ({ ...CHECK, origin_url })],
  ...(['jira_results', 'issue_tracker_results'] as const).map(
    (list): Field => [
      `${list}[0].issue_url`,
      kind('jira'),
      (issue_url) => ({ ...CHECK, [list]: [{ issue_id: 'A-1', issue_exists: true, issue_url }] }),
    ],
  ),
  ['pull_requests[0].url', kind('pull_request'), (url) => pull({ url })],
  ['sonar_results.serverUrl', kind('sonar'), (serverUrl) => sonar({ serverUrl })],
  ['sonar_results.project.url', kind('sonar'), (url) => sonar({ project: { url } })],
];
/** Fields with the address of a repository or of a commit in it. */
const OF_REPOSITORIES: readonly Field[] = [
  ['repo_url', ArtifactReport, (repo_url) => artifact({ repo_url })],
  ['commits_list[0].url', ArtifactReport, (url) => artifact({ commits_list: [{ ...COMMIT, url }] })],
  ['pull_requests[0].commits[0].url', kind('pull_request'), (url) => pull({ commits: [{ ...COMMIT, url }] })],
  ...COMMON.flatMap(([, schema, least]): Field[] => [
    ['git_commit_info.url', schema, (url) => ({ ...least, git_commit_info: { ...COMMIT, url } })],
    ['repo_info.url', schema, (url) => ({ ...least, repo_info: { ...REPO, url } })],
  ]),
];

function errorsOf([, schema, body]: Field, address: string) {
  const errors = noErrors();
  validate(schema, body(address), { whole: 'data_json' }, errors);
  return { ...errors };
}

const LINKS = ['https://a.example/x?y#z', 'http://localhost:8080', 'https://[::1]/', 'https://a.example/a b?c=@d'];
const NO_LINKS = [
  ...['a.example', '/a', 'ftp://a.example', 'http://', 'http:///x', 'http:x'],
  ...['javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x', '//a.example', 'https:\\a.example'],
];
const WITH_CREDENTIALS = ['https://ann:secret@a.example/x', 'https://ann@a.example', 'https://a.example\\@b.example'];

describe.each([...REQUIRED, ...OPTIONAL])('%s', (...field) => {
  const [name] = field;

  it('takes absolute addresses of http and https', () => {
    for (const address of LINKS) expect([address, errorsOf(field, address)]).toEqual([address, {}]);
  });

  it('refuses other texts', () => {
    for (const text of NO_LINKS) {
      const expected = expect.stringMatching(/^(Input should be a valid URL|String should match pattern) ?/);
      expect([text, errorsOf(field, text)]).toEqual([text, { [name]: expected }]);
    }
  });

  it('refuses a user or a password, and does not repeat them', () => {
    for (const address of WITH_CREDENTIALS) {
      const errors = errorsOf(field, address);
      expect([address, Object.keys(errors)]).toEqual([address, [name]]);
      expect(errors[name]).not.toContain('secret');
    }
  });
});

it.each(OPTIONAL)('%s takes an empty text', (...field) => {
  expect(errorsOf(field, '')).toEqual({});
});

it.each(REQUIRED)('%s refuses an empty text', (...field) => {
  expect(errorsOf(field, '')).toEqual({ [field[0]]: 'Input should be a valid URL [input: ]' });
});

describe.each(OF_REPOSITORIES)('%s', (...field) => {
  it.each([
    ...['', 'https://git.example/o/r', 'https://team@git.example/o/_git/r', 'ssh://host.example:22/o/r/commit/1'],
    ...['git@git.example:o/r.git', 'git.example:o/r', '/srv/git/r/commit/1', 'other/commit/1', 'file:///srv/r'],
    ...['svn+ssh://svn.example/r', 'codecommit::eu-west-1://r'],
  ])('takes what version control systems call a repository: %j', (address) => {
    expect(errorsOf(field, address)).toEqual({});
  });

  it.each([
    ...['javascript:alert(1)', ' JavaScript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x', 'vbscript:x'],
    ...['https://ann:secret@git.example/o/r', 'ssh://git:secret@git.example/r'],
  ])('refuses scripts and passwords: %j', (address) => {
    const errors = errorsOf(field, address);
    expect(errors).toEqual({ [field[0]]: expect.stringContaining('Input should be an address without a password') });
    expect(errors[field[0]]).not.toContain('secret');
  });
});
