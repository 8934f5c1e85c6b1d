import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CiName } from '#console/connect/model/choices.ts';
import { CI_SYSTEMS } from '#console/connect/model/ci-systems.ts';
import { INSTALL } from '#console/connect/model/place.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { metaGroup } from '#functions/meta/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { tokenGroup } from '#functions/token/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { type Gateway, startGateway } from '#infra/local/gateway/gateway.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { scriptsOf } from '#test/console/connect/scripts.ts';
import { CLIENT_PROGRAM, CLIENT_RUNS_HERE } from '#test/story/client/client.ts';
import { NO_COLLECTION } from '#test/story/client/no-collection.ts';
import { GITHUB_CLAIMS, GITLAB_CLAIMS } from '#test/support/identity/ci-claims.ts';
import { startIssuer, type TestIssuer } from '#test/support/identity/issuer.ts';
import { type TrustingOrganization, trustingOrganization, trustsApi } from './trusts-api.ts';

/**
 * The workflows of docs/connect.md, all of their scripts in order, as the runner of the CI system runs them: with a token that an
 * issuer on this machine signs, and the real client. Only programs of CI systems that print a token have a stand-in.
 */
const api = await trustsApi();
const { PATH } = env;

const CLAIMS: Partial<Record<CiName, object>> = {
  github: GITHUB_CLAIMS,
  gitlab: GITLAB_CLAIMS,
  buildkite: { sub: 'x', organization_slug: 'acme', pipeline_slug: 'web', build_branch: 'main', build_number: 7 },
  circleci: {
    sub: 'x',
    'oidc.circleci.com/project-id': '7d1f0b2e',
    'oidc.circleci.com/vcs-ref': 'refs/heads/main',
  },
  azure: { sub: 'p://acme/shop/web', prj_id: '5', def_id: '6', rpo_ref: 'refs/heads/main' },
};

let gateway: Gateway;
let issuer: TestIssuer;
let acme: TrustingOrganization;
let dir = '';
let commit = '';
beforeAll(async () => {
  gateway = await startGateway({
    groups: [
      ...[metaGroup(() => ''), userGroup, serviceAccountsGroup, tokenGroup],
      ...[flowsGroup, trailsGroup, artifactsGroup],
    ],
    functionOf: (group) => groupHandler(group, api.services, { log: () => undefined }),
    defaultFunction: async () => ({ statusCode: 404, headers: {}, body: '{"message":"Not Found"}' }),
    port: 0,
  });
  issuer = await startIssuer();
  acme = await trustingOrganization(api);
  dir = mkdtempSync(join(tmpdir(), 'workflows-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch', 'main');
  git('-c', 'user.name=ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '--allow-empty', '-m', 'First');
  commit = git('rev-parse', 'HEAD');
});
afterAll(async () => {
  await Promise.all([gateway.stop(), issuer.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

/** What the CI system gives to a job: variables, and a way to a token. */
function runnerOf(ci: CiName, token: string): Record<string, string> {
  const answer = (path: string, body: object) =>
    issuer.answers.set(path, (response) => response.end(JSON.stringify(body)));
  const program = (name: string) => {
    writeFileSync(join(dir, name), `#!/bin/sh\necho '${token}'\n`);
    chmodSync(join(dir, name), 0o755);
  };
  const urls = { GITHUB_SERVER_URL: 'https://code.example', GITHUB_REPOSITORY: 'acme/web', GITHUB_RUN_ID: '7' };
  switch (ci) {
    case 'github':
      answer(`/oidc?api-version=2.0&audience=${gateway.url}`, { count: 1, value: token });
      return {
        ...urls,
        GITHUB_SHA: commit,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/oidc?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the runner',
      };
    case 'gitlab':
      return {
        EVIDENCE_TOKEN: token,
        CI_COMMIT_SHA: commit,
        CI_JOB_URL: 'https://code.example/jobs/1',
        CI_PROJECT_URL: 'https://code.example/acme/shop',
      };
    case 'buildkite':
      program('buildkite-agent');
      return { BUILDKITE_COMMIT: commit, BUILDKITE_BUILD_URL: 'https://buildkite.com/acme/web/builds/7' };
    case 'circleci':
      program('circleci');
      return { CIRCLE_SHA1: commit, CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/web/7' };
    default:
      answer('/oidctoken?api-version=7.1', { oidcToken: token });
      return {
        SYSTEM_OIDCREQUESTURI: `${issuer.url}/oidctoken`,
        SYSTEM_ACCESSTOKEN: 'of the job',
        BUILD_SOURCEVERSION: commit,
        SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
        SYSTEM_TEAMPROJECTID: '5',
        BUILD_BUILDID: '7',
        BUILD_REPOSITORY_URI: 'https://dev.azure.com/acme/shop/_git/web',
      };
  }
}

/** Runs the scripts in one shell, except those that install the client. Variables that GitHub would keep for later steps are kept. */
function run(ci: CiName, variables: Record<string, string>): Promise<string> {
  const later = join(dir, 'later');
  writeFileSync(later, '');
  const scripts = scriptsOf(ci, { host: gateway.url, org: acme.org })
    .map((script) =>
      script
        .split('\n')
        .filter((line) => !line.endsWith(INSTALL))
        .join('\n'),
    )
    .map((script) => `${script}\nset -a; . '${later}'; set +a`);
  const given = { KOSLI_HOST: gateway.url, KOSLI_ORG: acme.org, GITHUB_ENV: later };
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', '-c', scripts.join('\n')],
      {
        cwd: dir,
        env: { HOME: dir, PATH: `${dir}:${dirname(CLIENT_PROGRAM)}:${PATH}`, ...NO_COLLECTION, ...given, ...variables },
      },
      (error, stdout, stderr) =>
        error
          ? reject(new Error(`${stdout}${stderr}`, { cause: error }))
          : resolve(stdout + readFileSync(later, 'utf8')),
    );
  });
}

describe.runIf(CLIENT_RUNS_HERE)('a workflow of docs/connect.md', () => {
  it.each(Object.keys(CLAIMS) as CiName[])('the workflow of %s gets a key for its token, and reports', async (ci) => {
    const system = CI_SYSTEMS[ci];
    if (!('keyless' in system)) throw new Error(ci);
    const { preset, claims } = system.keyless;
    const audience = 'audience' in system.keyless ? system.keyless.audience : gateway.url;
    const have = new Map(Object.entries(CLAIMS[ci] ?? {}));
    const bound = Object.fromEntries(claims.map(({ claim }) => [claim, String(have.get(claim))]));
    const trust = await acme.putTrust(ci, { preset, issuer: issuer.url, audience, claims: bound });
    expect(trust.status).toBe(201);
    const token = await issuer.token({ ...CLAIMS[ci], aud: audience }, api.services.clock.now() / 1e6);
    const printed = await run(ci, runnerOf(ci, token));
    expect(printed).toMatch(/flow 'web' was (created|updated)/);
    expect(printed).toContain('app.tar was attested with fingerprint');
    const otherToken = await issuer.token({ ...CLAIMS[ci], aud: 'somewhere' }, api.services.clock.now() / 1e6);
    await expect(run(ci, runnerOf(ci, otherToken))).rejects.toThrow('No trust of the organization accepts');
  });
});
