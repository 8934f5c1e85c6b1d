import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { generateApi } from 'swagger-typescript-api';
import { afterAll, expect, test } from 'vitest';
import { describeApi, groups } from '#functions/groups.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { newOrganization } from '#test/support/admin.ts';
import { testApi } from '#test/support/api.ts';

/** Generates a client from the OpenAPI document with a public generator, compiles it and calls ten operations with it. */

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const FINGERPRINT = 'ab'.repeat(32);

/** What a user of the client writes. The compiler checks it against the generated types. */
const CALLS = `
import { Api } from './api.ts';

export async function calls(customFetch: typeof fetch, key: string, org: string) {
  const client = new Api<string>({
    baseUrl: '${BASE_PATH}',
    customFetch,
    securityWorker: (token) => (token ? { headers: { Authorization: 'Bearer ' + token } } : undefined),
  });
  client.setSecurityData(key);
  const made = await client.flows.putFlow(org, { name: 'web', description: 'The web shop' });
  const flow = await client.flows.getFlow(org, 'web');
  await client.artifacts.reportArtifact(org, 'web', {
    fingerprint: '${FINGERPRINT}',
    filename: 'app.tar',
    git_commit: '${'cd'.repeat(20)}',
    build_url: 'https://ci.example.com/1',
    commit_url: 'https://git.example.com/1',
    trail_name: 'run',
  });
  const attached = await client.attestations.attestGeneric(org, 'web', 'run', {
    data_json: { attestation_name: 'unit', artifact_fingerprint: '${FINGERPRINT}', is_compliant: true },
    attachment_file: new File(['log'], 'log.txt'),
  });
  const trails = await client.trails.listTrails(org, { flow: 'web', per_page: 5 });
  const assertion = await client.asserts.assertArtifact(org, '${FINGERPRINT}', { flow_name: 'web' });
  await client.environments.putEnvironment(org, { name: 'prod', type: 'server' });
  await client.environments.reportServer(org, 'prod', {
    artifacts: [{ digests: { app: '${FINGERPRINT}' }, creationTimestamp: 1795000000 }],
  });
  const snapshot = await client.snapshots.getSnapshot(org, 'prod', '-1');
  const action = await client.actions.putFlowAction(org, {
    name: 'team',
    triggers: ['ON_ATTESTATION'],
    targets: [{ type: 'EMAIL', emails: ['team@example.com'] }],
  });
  const refused = await client.flows.getFlow(org, 'unknown').catch((answer) => answer);
  return {
    statuses: [made.status, attached.status, action.status, refused.status],
    flow: flow.data.description,
    trails: trails.data.data.map(({ name }) => name),
    compliant: assertion.data.compliant,
    running: snapshot.data.artifacts.map(({ fingerprint }) => fingerprint),
    message: refused.error.message,
  };
}
`;

type Calls = (customFetch: typeof fetch, key: string, org: string) => Promise<Record<string, unknown>>;

const folder = mkdtempSync(join(tmpdir(), 'generated-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the client and its calls, has the compiler check both, and loads them. */
async function compiledCalls(): Promise<Calls> {
  const spec = JSON.parse(describeApi());
  const { files } = await generateApi({
    spec,
    output: false,
    fileName: 'api.ts',
    httpClientType: 'fetch',
    silent: true,
  });
  writeFileSync(join(folder, 'api.ts'), files[0]?.fileContent ?? '');
  writeFileSync(join(folder, 'calls.ts'), CALLS);
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'], types: [], strict: true, noEmit: true },
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = spawnSync(join(MODULES, '.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  expect([compiler.stdout, compiler.stderr, compiler.status]).toEqual(['', '', 0]);
  const outfile = join(folder, 'calls.mjs');
  await build({ entryPoints: [join(folder, 'calls.ts')], outfile, bundle: true, format: 'esm', platform: 'node' });
  return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)).calls;
}

const api = await testApi(groups);

/** Hands a request of the client to the endpoints. */
const inProcess: typeof fetch = async (input, { method = 'GET', headers, body } = {}) => {
  const { pathname, searchParams } = new URL(String(input), 'http://localhost');
  const authorization = new Headers(headers).get('authorization') ?? '';
  const { status, text } = await api.call(method, decodeURIComponent(pathname.slice(BASE_PATH.length)), {
    key: authorization.replace('Bearer ', ''),
    query: searchParams.toString(),
    ...(body instanceof FormData ? { form: body } : typeof body === 'string' && { text: body }),
  });
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
};

test('a client that is generated from the OpenAPI document compiles, and its calls work', async () => {
  const [calls, acme] = [await compiledCalls(), await newOrganization(api)];
  expect(await calls(inProcess, acme.keys.admin, acme.org)).toEqual({
    statuses: [201, 201, 200, 404],
    flow: 'The web shop',
    trails: ['run'],
    compliant: true,
    running: [FINGERPRINT],
    message: expect.stringContaining("'unknown'"),
  });
});
