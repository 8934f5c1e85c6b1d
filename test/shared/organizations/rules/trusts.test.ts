import { describe, expect, it } from 'vitest';
import type { PresetName } from '#shared/organizations/rules/trust-presets.ts';
import {
  chooseTrust,
  identityOf,
  type TrustRule,
  trustErrors,
  trustWarnings,
} from '#shared/organizations/rules/trusts.ts';
import { GITHUB_CLAIMS, GITLAB_CLAIMS } from '#test/support/identity/ci-claims.ts';
import { aTrust, ISSUER } from './a-trust.ts';

describe('a trust', () => {
  it.each<[string, PresetName, Record<string, string | string[]>]>([
    ['a repository by id', 'github', { repository_id: '74' }],
    ['several repositories by name', 'github', { repository: ['acme/web', 'acme/shop'] }],
    [
      'all repositories with one called workflow',
      'github',
      { repository: 'acme/*', job_workflow_ref: 'acme/ci/.github/workflows/a.yml@refs/tags/v1' },
    ],
    ['a project', 'gitlab', { project_path: 'acme/shop/web' }],
    ['a pipeline of an organization', 'buildkite', { organization_slug: 'acme', pipeline_slug: 'web' }],
    ['a project of an issuer of its own', 'circleci', { 'oidc.circleci.com/project-id': 'c0' }],
    ['a definition of a project', 'azure-devops', { prj_id: 'p', def_id: '4' }],
    ['any claim of any issuer', 'any', { sub: 'system:serviceaccount:ci:*' }],
  ])('may bind %s', (_, preset, claims) => {
    expect([...trustErrors(aTrust(claims, { preset }))]).toEqual([]);
  });

  it.each<[string, PresetName, Record<string, string | string[]>, string, string]>([
    ['nothing', 'any', {}, 'claims', 'Bind at least one claim'],
    ['no repository', 'github', { ref: 'refs/heads/main' }, 'claims', 'Bind repository_id, or repository'],
    ['an owner alone', 'github', { repository_owner: 'acme' }, 'claims', 'Bind repository_id, or repository'],
    ['no project', 'gitlab', { namespace_path: 'acme' }, 'claims', 'Bind project_id, or project_path'],
    ['a slug that others can have', 'buildkite', { pipeline_slug: 'web' }, 'claims', 'Bind pipeline_id, or'],
    ['everything', 'github', { repository: '*' }, 'claims.repository', "a letter or a digit beside '*'"],
    ['nearly everything', 'any', { sub: '*-*/*' }, 'claims.sub', "a letter or a digit beside '*'"],
    [
      'a beginning of a name',
      'github',
      { repository: 'acme/web*' },
      'claims.repository',
      "'*' is possible only for all repositories",
    ],
    [
      'names of all owners',
      'github',
      { repository: '*/web' },
      'claims.repository',
      "'*' is possible only for all repositories",
    ],
    [
      'all repositories',
      'github',
      { repository: 'acme/*' },
      'claims.repository',
      'job_workflow_ref names one workflow file',
    ],
    [
      'all repositories with any workflow',
      'github',
      { repository: 'acme/*', job_workflow_ref: 'acme/*/.github/workflows/a.yml@x' },
      'claims.job_workflow_ref',
      'one workflow file at one reference',
    ],
    ...['a.yml@*', 'a.yml@refs/heads/*', 'a.yml@refs/tags/v*', 'a.yml', 'a.yml@'].map(
      (file): [string, PresetName, Record<string, string | string[]>, string, string] => [
        `all repositories with the workflow ${file}`,
        'github',
        {
          repository: 'acme/*',
          job_workflow_ref: ['acme/ci/.github/workflows/b.yml@refs/heads/main', `acme/ci/.github/workflows/${file}`],
        },
        'claims.job_workflow_ref',
        'one workflow file at one reference',
      ],
    ),
    ['ids by a beginning', 'github', { repository_id: '7*' }, 'claims.repository_id', "takes no '*'"],
    ['a group', 'gitlab', { project_path: 'acme/*' }, 'claims.project_path', "takes no '*'"],
    ['one broad pattern among others', 'gitlab', { project_id: ['20', '2*'] }, 'claims.project_id', "takes no '*'"],
    ['the audience', 'any', { sub: 'ci', aud: 'x' }, 'claims.aud', 'compares this claim itself'],
  ])('may not bind %s', (_, preset, claims, field, text) => {
    expect(trustErrors(aTrust(claims, { preset })).get(field)).toContain(text);
  });

  it('a trust of an issuer that everybody can use has the preset of that issuer', () => {
    const trust = aTrust({ sub: 'x' }, { preset: 'any', issuer: 'https://token.actions.githubusercontent.com' });
    expect(trustErrors(trust).get('preset')).toContain("Use the preset 'github'");
  });

  it('has warnings for names without ids, for pull requests, for `sub` with `*`, and for an admin', () => {
    const warnings = (trust: TrustRule, privilege = 'member') =>
      trustWarnings(trust, privilege).map((sentence) => sentence.slice(0, 42));
    expect(warnings(aTrust({ repository_id: '74', environment: 'prod' }))).toEqual([]);
    expect(warnings(aTrust({ repository: 'acme/web' }), 'admin')).toEqual([
      "Somebody else can get the name in 'reposit",
      'Runs for pull requests and merge requests ',
      'The service account is admin, so no token ',
    ]);
    expect(warnings(aTrust({ project_id: '20', sub: 'project_path:acme/*' }, { preset: 'gitlab' }))).toEqual([
      'Runs for pull requests and merge requests ',
      "The format of 'sub' can be changed in the ",
    ]);
    expect(warnings(aTrust({ sub: 'a*' }, { preset: 'any' }))).toHaveLength(2);
  });
});

describe('the choice of a trust', () => {
  const token = { iss: ISSUER, ...GITHUB_CLAIMS };

  it('takes the first by name whose audience and claims match', () => {
    const fitting = { repository_id: '74' };
    const trusts = [
      aTrust(fitting, { name: 'c' }),
      aTrust(fitting, { name: 'b' }),
      aTrust({ ...fitting, ref: 'refs/heads/next' }, { name: 'a' }),
    ];
    expect(chooseTrust(trusts, token)).toEqual({ trust: trusts[1] });
    expect(chooseTrust([...trusts].reverse(), { ...token, aud: ['other', token.aud] })).toEqual({ trust: trusts[1] });
  });

  it.each<[string, Record<string, unknown>, Record<string, string | string[]>, unknown]>([
    [
      'another audience',
      { aud: 'https://evidence.example.com/' },
      { repository_id: '74' },
      { refused: 'audience', differing: ['aud'] },
    ],
    ['no audience', { aud: undefined }, { repository_id: '74' }, { refused: 'audience', differing: ['aud'] }],
    [
      'one of two claims',
      {},
      { repository: 'acme/web', ref: 'refs/heads/next' },
      { refused: 'claims', differing: ['ref'] },
    ],
    [
      'a claim that the token lacks',
      {},
      { repository: 'acme/web', enterprise: 'acme' },
      { refused: 'claims', differing: ['enterprise'] },
    ],
    [
      'a claim that is a list',
      { repository: ['acme/web'] },
      { repository: 'acme/web' },
      { refused: 'claims', differing: ['repository'] },
    ],
    [
      'a claim of every object',
      {},
      { repository: 'acme/web', constructor: 'Object' },
      { refused: 'claims', differing: ['constructor'] },
    ],
  ])('refuses %s', (_, changed, claims, refusal) => {
    expect(chooseTrust([aTrust(claims)], { ...token, ...changed })).toEqual(refusal);
  });
});

describe('the identity', () => {
  it('the identity of a run of GitHub Actions has its workflow, run, commit and the claims that the trust names', () => {
    const trust = aTrust({
      repository: 'acme/*',
      job_workflow_ref: 'acme/automation/.github/workflows/oidc.yml@refs/heads/*',
    });
    expect(identityOf(trust, { iss: ISSUER, ...GITHUB_CLAIMS })).toEqual({
      identity: {
        trust: 'ci',
        issuer: ISSUER,
        subject: 'repo:acme/web:environment:prod',
        repository: 'acme/web',
        repository_id: '74',
        workflow_ref: 'acme/web/.github/workflows/release.yml@refs/heads/main',
        workflow_commit: '9b1f2c6f1a4a9f4b4a86d5c8a3f0f1f7f6f2c111',
        run_id: '7412583654',
        run_attempt: '2',
        commit: '2f5cd4a5f4f7c1d1e5c5ac0f2b7a8d7a54d1e0c1',
        ref: 'refs/heads/main',
        event: 'push',
        actor: 'octocat',
        environment: 'prod',
        runner: 'github-hosted',
        claims: {
          repository: 'acme/web',
          job_workflow_ref: 'acme/automation/.github/workflows/oidc.yml@refs/heads/main',
        },
      },
    });
  });

  it('the identity of a job of GitLab CI has its project, pipeline and the claims that the trust names', () => {
    const trust = aTrust({ project_id: '20', runner_id: '1' }, { preset: 'gitlab' });
    expect(identityOf(trust, { iss: ISSUER, ...GITLAB_CLAIMS })).toMatchObject({
      identity: {
        repository: 'acme/shop/web',
        repository_id: '20',
        workflow_ref: 'gitlab.com/acme/shop/web//.gitlab-ci.yml@refs/heads/main',
        run_id: '574',
        ref: 'refs/heads/main',
        event: 'push',
        actor: 'sample-user',
        claims: { project_id: '20', runner_id: '1' },
      },
    });
  });

  it('leaves out what a token does not have, and names a claim that is too long', () => {
    const trust = aTrust({ repository_id: '74' });
    const bare = { iss: ISSUER, sub: 's', repository_id: 74, environment: '' };
    expect(identityOf(trust, bare)).toEqual({
      identity: { trust: 'ci', issuer: ISSUER, subject: 's', repository_id: '74', claims: { repository_id: '74' } },
    });
    expect(identityOf(trust, { ...bare, ref: 'x'.repeat(1025) })).toEqual({ tooLong: 'ref' });
  });
});
