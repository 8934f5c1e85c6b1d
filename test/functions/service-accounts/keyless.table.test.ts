import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { metaGroup } from '#functions/meta/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { tokenGroup } from '#functions/token/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { type Gateway, startGateway } from '#infra/local/gateway/gateway.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { CLIENT_RUNS_HERE, execute, REPO } from '#test/story/client/client.ts';
import { COMMIT } from '#test/story/client/release.ts';
import { FINGERPRINT, fillWorkspace } from '#test/story/client/workspace.ts';
import { blocksOf } from '#test/story/documents/document-blocks.ts';
import { GITHUB_CLAIMS, GITLAB_CLAIMS } from '#test/support/identity/ci-claims.ts';
import { startIssuer, type TestIssuer } from '#test/support/identity/issuer.ts';
import { keyOf, type TrustingOrganization, trustingOrganization, trustsApi } from './trusts-api.ts';

/**
 * What a pipeline does, over HTTP and with the real client: exchange, report, assert. The clock of the service can be moved,
 * which a stack in another process does not allow.
 */
const api = await trustsApi();
const GROUPS: readonly EndpointGroup[] = [
  ...[metaGroup(() => ''), userGroup, serviceAccountsGroup, tokenGroup, flowsGroup, trailsGroup],
  ...[artifactsGroup, attestationsGroup, assertsGroup],
];

let gateway: Gateway;
let issuer: TestIssuer;
let acme: TrustingOrganization;
let dir = '';
beforeAll(async () => {
  const missing = async () => ({ statusCode: 404, headers: {}, body: '{"message":"Not Found"}' });
  gateway = await startGateway({
    groups: GROUPS,
    functionOf: (group) => groupHandler(group, api.services, { log: () => undefined }),
    defaultFunction: missing,
    port: 0,
  });
  issuer = await startIssuer();
  acme = await trustingOrganization(api);
  dir = mkdtempSync(join(tmpdir(), 'keyless-'));
  fillWorkspace(dir);
});
afterAll(async () => {
  await Promise.all([gateway.stop(), issuer.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

const token = (claims: object) => issuer.token({ ...claims, aud: gateway.url }, api.services.clock.now() / 1e6);

const CI_SYSTEMS = {
  github: { claims: GITHUB_CLAIMS, bound: { repository: 'acme/web', repository_id: '74', ref: 'refs/heads/main' } },
  gitlab: { claims: GITLAB_CLAIMS, bound: { project_path: 'acme/shop/web', project_id: '20', ref_protected: 'true' } },
};

describe.runIf(CLIENT_RUNS_HERE)('the client with a key that was exchanged', () => {
  it.each(Object.entries(CI_SYSTEMS))(
    'the client with a key that was exchanged for a token of %s begins a trail, attests and asserts',
    async (preset, { claims, bound }) => {
      const trust = { preset, issuer: issuer.url, audience: gateway.url, claims: bound };
      expect((await acme.putTrust(preset, trust)).json).toMatchObject({ warnings: [] });
      const KOSLI_API_TOKEN = keyOf(await acme.exchange(await token(claims)));
      const environment = { HOME: dir, KOSLI_HOST: gateway.url, KOSLI_ORG: acme.org, KOSLI_API_TOKEN, ...REPO };
      const run = async (...args: string[]) => {
        const { code, stdout, stderr } = await execute(args, dir, environment);
        return [code, stdout + stderr];
      };
      const flow = ['--flow', preset];
      const urls = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
      const artifact = [
        'client.bin',
        '--artifact-type',
        'file',
        '--name',
        'client',
        ...flow,
        '--trail',
        'run',
        ...urls,
      ];
      const commands = [
        ['create', 'flow', preset, '--use-empty-template'],
        ['begin', 'trail', 'run', ...flow, ...COMMIT],
        ['attest', 'artifact', ...artifact, ...COMMIT],
        ['attest', 'generic', '--name', 'check', ...flow, '--trail', 'run', ...COMMIT],
      ];
      const printed: unknown[] = [];
      for (const command of commands) printed.push(await run(...command));
      expect(printed).toEqual([
        [0, `flow '${preset}' was created\n`],
        [0, "trail 'run' was begun\n"],
        [0, `artifact client.bin was attested with fingerprint: ${FINGERPRINT}\n`],
        [0, "generic attestation 'check' is reported to trail: run\n"],
      ]);
      const assertion = ['assert', 'artifact', '--fingerprint', FINGERPRINT, ...flow];
      expect(await run(...assertion)).toEqual([0, expect.stringContaining('COMPLIANT')]);
      api.services.clock.advance(15 * 60_000_000);
      expect(await run(...assertion)).toEqual([1, expect.stringContaining('Invalid or expired API key')]);
    },
  );
});

/** The YAML blocks of the guide, by the word of the job that they hold. */
const [github, gitlab] = blocksOf('docs/keyless.md')
  .filter(({ language }) => language === 'yaml')
  .map(({ text }) => parse(text));

/** Runs a script of a workflow as the runner of the CI system does. */
const runScript = (script: string, environment: Record<string, string>) =>
  new Promise<string>((resolve, reject) => {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: dir, ...environment };
    execFile(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
      { cwd: dir, env },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${stdout}${stderr}`, { cause: error }));
        else resolve(stdout);
      },
    );
  });

describe('a workflow of docs/keyless.md', () => {
  const here = () => ({ EVIDENCE_URL: gateway.url, EVIDENCE_ORG: acme.org });

  it('a workflow of docs/keyless.md for GitHub Actions exchanges the token of its job, and hides the key in the log', async () => {
    const { permissions, env, jobs } = github;
    expect([permissions['id-token'], Object.keys(env)]).toEqual(['write', Object.keys(here())]);
    const trust = { preset: 'github', issuer: issuer.url, audience: gateway.url };
    await acme.putTrust('copied', {
      ...trust,
      claims: { repository: 'acme/web', environment: jobs.release.environment },
    });
    const value = await token(GITHUB_CLAIMS);
    issuer.answers.set(`/oidc?api-version=2.0&audience=${gateway.url}`, (response) =>
      response.end(JSON.stringify({ value })),
    );
    const file = join(dir, 'github-env');
    writeFileSync(file, '');
    const [exchange, show] = jobs.release.steps as { run: string }[];
    const log = await runScript(exchange?.run ?? '', {
      ...here(),
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/oidc?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the runner',
      GITHUB_ENV: file,
    });
    const [, key = ''] = /^EVIDENCE_KEY=(dek_\S+)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(log).toBe(`::add-mask::${key}\n`);
    const identity = JSON.parse(await runScript(show?.run ?? '', { ...here(), EVIDENCE_KEY: key }));
    expect(identity).toMatchObject({ trust: 'copied', repository: 'acme/web', run_id: GITHUB_CLAIMS.run_id });
  });

  it('a workflow of docs/keyless.md for GitLab CI exchanges the token of its job', async () => {
    const { variables, id_tokens, script } = gitlab.release;
    expect([variables.EVIDENCE_URL, Object.keys(variables)]).toEqual([
      id_tokens.EVIDENCE_TOKEN.aud,
      Object.keys(here()),
    ]);
    const trust = { preset: 'gitlab', issuer: issuer.url, audience: gateway.url };
    await acme.putTrust('of-gitlab', { ...trust, claims: { project_id: '20', ref_protected: 'true' } });
    const run = async (claims: object) =>
      runScript(script.join('\n'), { ...here(), EVIDENCE_TOKEN: await token(claims) });
    expect(JSON.parse(await run(GITLAB_CLAIMS))).toMatchObject({
      trust: expect.stringMatching('gitlab'),
      run_id: '574',
    });
    await expect(run({ ...GITLAB_CLAIMS, project_id: '21' })).rejects.toThrow('No trust of the organization accepts');
  });
});
