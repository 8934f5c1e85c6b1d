import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import {
  type Bundle,
  bundleFunctions,
  bundleService,
  functionNames,
  POLICY_FUNCTIONS,
  zipOf,
} from '#infra/bundles/bundle.ts';
import { LICENSES_FILE } from '#infra/bundles/licenses.ts';
import { unpack } from '#infra/bundles/unpack.ts';
import { bundleVerifier } from '#infra/bundles/verifier.ts';
import { runningRelease } from '#shared/base/release.ts';
import { micros } from '#shared/base/time.ts';
import { childEngines } from '#shared/engines/child-engines.ts';
import { packagedChild } from '#shared/engines/packaged-child.ts';
import { childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';
import { packagedPolicyChild } from '#shared/evaluations/packaged-policy-child.ts';
import { temporaryFolder } from '../synthesized.ts';
import { bundleHello } from './hello.ts';

const run = promisify(execFile);
const BUNDLING_MILLIS = 300_000;
const MIB = 1024 * 1024;
/** The archive of a group may be this many times as large as a hello-world handler with the same clients. */
const RATIO = 1.59;

/**
 * The ratio for groups that evaluate policies of environments. They contain the parser of YAML and the engine of regular
 * expressions, a quarter of a megabyte together, the order of versions, and parts of the evidence. Decision 30 has the figures.
 */
const POLICY_RATIO = 2.32;
const POLICY_GROUPS = ['asserts', 'drafts', 'environments', 'policies', 'allowlists'];

/**
 * The ratio for groups that read templates of flows or have verdicts on trails. They contain the parser of YAML, or the steps of reasons.
 * Decision 30 has the largest of them.
 */
const TEMPLATE_RATIO = 1.9;
const TEMPLATE_GROUPS = [
  'artifacts',
  'attestations',
  'components',
  'evaluations',
  'flows',
  'search',
  'signers',
  'snapshots',
  'statements',
  'trails',
];

/** The ratio for the group that reads one item and contains the OpenAPI document, which describes every endpoint. */
const DOCUMENT_RATIO = 2.25;

/**
 * The ratio for the door of agents, which contains the library of its protocol, what its tools read, what verifies tokens and receipts, and
 * what drafts would write.
 */
const AGENTS_RATIO = 3.45;

/** The largest archive of a group without clients, in bytes. */
const WITHOUT_CLIENTS: Readonly<Record<string, number>> = { reference: 75_000, console: 75_000 };

function ratioOf(name: string): number {
  if (name === 'meta') return DOCUMENT_RATIO;
  if (name === 'mcp') return AGENTS_RATIO;
  if (POLICY_GROUPS.includes(name)) return POLICY_RATIO;
  return TEMPLATE_GROUPS.includes(name) ? TEMPLATE_RATIO : RATIO;
}

/** Settings that reach no AWS service. The tests see only what a function does before its first call of AWS. */
const ENVIRONMENT = {
  TABLE_NAME: 'evidence',
  PUBLIC_URL: 'https://api.example',
  BUCKET_NAME: 'evidence',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

const folder = temporaryFolder('bundles-');
const unpacked = (name: string) => join(folder, 'unpacked', name);
let bundles: Bundle[];

beforeAll(async () => {
  bundles = await bundleService(folder);
  for (const { name, zip } of bundles) unpack(zip, unpacked(name));
}, BUNDLING_MILLIS);

/** Sizes of hello-world handlers by their clients: most groups have the same clients. */
const hellos = new Map<string, Promise<number>>();

function helloOf(clients: readonly string[]): Promise<number> {
  const name = `hello-${clients.join('-').replaceAll(/[^\w-]/g, '')}`;
  const size = hellos.get(name) ?? bundleHello(join(folder, 'hello'), name, clients);
  hellos.set(name, size);
  return size;
}

/** Calls the handler of a bundle in a new process outside the repository, and returns the answer. */
async function invoke(name: string, event: unknown): Promise<unknown> {
  const script = `
    const { handler } = require('./index.js');
    handler(${JSON.stringify(event)}, {}).then((result) => console.log(JSON.stringify(result)));`;
  const options = { cwd: unpacked(name), env: ENVIRONMENT, maxBuffer: 8 * MIB };
  const { stdout } = await run(process.execPath, ['-e', script], options);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const request = (method: string, path: string) => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: '',
  headers: {},
  requestContext: { requestId: 'request-1', domainName: 'localhost', http: { method } },
  isBase64Encoded: false,
});

describe('bundles', () => {
  test('exist for every function', () => {
    expect(bundles.map(({ name }) => name)).toEqual(functionNames());
  });

  test('contain the function, its child process, what it loads later and the verifier if it has them, licences of libraries, and nothing else', () => {
    const files = (name: string) =>
      readdirSync(unpacked(name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(unpacked(name).length + 1))
        .toSorted();
    expect(files('flows')).toEqual([LICENSES_FILE, 'index.js']);
    const engines = ['engines/child.js', 'engines/jq.js', 'engines/jq.wasm'];
    const later = ['sbom/reader.js', 'signatures/verifier.js'];
    expect(files('attestations')).toEqual([LICENSES_FILE, ...engines, 'index.js', ...later]);
    expect([...POLICY_FUNCTIONS]).toEqual(['evaluations', 'evaluator']);
    expect(files('evaluations')).toEqual([LICENSES_FILE, 'index.js', 'policies/child.js']);
    expect(files('exporter')).toEqual(expect.arrayContaining(['index.js', 'verifier/verify.mjs']));
    // The evaluator records decisions with the code that records all attestations.
    expect(files('evaluator')).toEqual([LICENSES_FILE, 'index.js', 'policies/child.js', 'sbom/reader.js']);
  });

  test('have their source maps in another folder', () => {
    const maps = readdirSync(join(folder, 'source-maps', 'attestations')).toSorted();
    expect(maps).toEqual(['engines-child.js.map', 'index.js.map', 'sbom-reader.js.map', 'signatures-verifier.js.map']);
  });

  test('have the same bytes if they are bundled again', async () => {
    const kept = bundles.find(({ name }) => name === 'unknown-route');
    const [again] = await bundleFunctions(join(folder, 'again'), ['unknown-route']);
    expect(again).toEqual({ ...kept, zip: zipOf(join(folder, 'again'), 'unknown-route') });
    expect(readFileSync(again?.zip ?? '')).toEqual(readFileSync(kept?.zip ?? ''));
  });
});

describe('the archive of a group', () => {
  test.each(groups.map(({ name }) => name))(
    'is within its limit of size: %s',
    async (name) => {
      const { size, clients } = bundles.find((bundle) => bundle.name === name) ?? { size: Number.NaN, clients: [] };
      const limit = WITHOUT_CLIENTS[name];
      if (limit !== undefined) {
        expect({ name, clients, size }).toEqual({ name, clients: [], size: expect.toSatisfy((own) => own <= limit) });
        return;
      }
      const hello = await helloOf(clients);
      expect(size).toBeLessThanOrEqual(MIB);
      expect({ name, ratio: size / hello }).toEqual({
        name,
        ratio: expect.toSatisfy((ratio) => ratio <= ratioOf(name)),
      });
    },
    BUNDLING_MILLIS,
  );

  // An endpoint that a feature opens to everybody reads the organization first.
  const closed = groups.filter(({ endpoints: [first] }) => first?.access !== 'public' && !first?.openWith);
  test.each(closed)(
    'runs outside the repository and refuses a request without a credential: $name',
    async ({ name, endpoints }) => {
      const [first] = endpoints;
      const path = `/api/v2${first?.path.replaceAll(/\{[^}]+\}/g, 'x')}`;
      expect(await invoke(name, request(first?.method ?? '', path))).toMatchObject({
        statusCode: 401,
        headers: { 'x-request-id': 'request-1' },
        body: '{"message":"Authentication required","request_id":"request-1"}',
      });
    },
  );

  test('the archive of a group of the OpenAPI document contains the same document as the sources', async () => {
    const { documentText } = await import('#functions/meta/document.ts');
    const answer = (await invoke('meta', request('GET', '/api/v2/openapi.json'))) as { body: string };
    const { info, ...document } = JSON.parse(answer.body);
    const { info: described, ...expected } = JSON.parse(documentText());
    expect(document).toEqual(expected);
    expect(info).toEqual({ ...described, 'x-release': runningRelease() });
  });
});

describe('the archive of the reference', () => {
  test('contains the files of the page with their licences, and has at most 1 MiB', () => {
    const { zip } = bundles.find(({ name }) => name === 'reference') ?? { zip: '' };
    expect(statSync(zip).size).toBeLessThanOrEqual(MIB);
    const files = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css'];
    expect(readdirSync(join(unpacked('reference'), 'reference')).toSorted()).toEqual(files);
  });

  test.each([
    ['/doc', 'text/html; charset=utf-8', '/api/v2/doc/show.js'],
    ['/doc/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['/doc/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/doc/show.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
  ])('serves %s outside the repository', async (path, type, text) => {
    const answer = (await invoke('reference', request('GET', `/api/v2${path}`))) as { body: string };
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': type } });
    expect(answer.body).toContain(text);
  });
});

describe('the archives of the console', () => {
  test('contain its files, their licences and the page that loads them, and have at most 3 MiB', async () => {
    const { zip } = bundles.find(({ name }) => name === 'console') ?? { zip: '' };
    expect(statSync(zip).size).toBeLessThanOrEqual(3 * MIB);
    const browser = { ...request('GET', '/demo'), headers: { accept: 'text/html' } };
    const shell = (await invoke('unknown-route', browser)) as { body: string };
    const files = [...shell.body.matchAll(/"\/-\/assets\/([^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThanOrEqual(2);
    expect(readdirSync(join(unpacked('console'), 'console'))).toEqual(
      expect.arrayContaining(['LICENSES.md', ...files]),
    );
    const answer = await invoke('console', request('GET', `/-/assets/${files[0]}`));
    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    const verifier = (await invoke('console', request('GET', '/-/assets/verify.mjs'))) as { body: string };
    expect(Buffer.from(verifier.body, 'base64')).toEqual((await bundleVerifier()).bytes);
  });
});

test('the packaged reader of SBOMs is found beside the function, which does not contain it', async () => {
  const file = '<bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>';
  const script = `import('./sbom/reader.js').then(({ inspectSbom }) => console.log(inspectSbom(Buffer.from('${file}'), {}).read.format));`;
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: unpacked('attestations') });
  expect(stdout).toBe('cyclonedx-1.6\n');
  const index = readFileSync(join(unpacked('attestations'), 'index.js'), 'utf8');
  expect(index).toContain('./sbom/reader.js');
  expect(index).not.toContain('cyclonedx.org');
});

test('the packaged verifier of bundles is found beside the function, which does not contain it', async () => {
  const script = `import('./signatures/verifier.js').then(({ openBundles }) =>
    console.log(openBundles(Buffer.from('{}')).bundles[0].verify({ signers: [], roots: [] }).error));`;
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: unpacked('attestations') });
  expect(stdout).toMatch(/^The bundle has the media type 'undefined'/);
  const index = readFileSync(join(unpacked('attestations'), 'index.js'), 'utf8');
  expect(index).toContain('./signatures/verifier.js');
  expect(index).not.toContain('dev.sigstore.bundle.v0.3');
});

describe('the packaged child process of the engines', () => {
  test('runs a jq program and validates a document outside the repository', async () => {
    const engines = childEngines({ child: packagedChild(join(unpacked('custom-attestation-types'), 'engines')) });
    try {
      expect(await engines.runJq(['.age > 20'], '{"age":21}')).toEqual([{ ok: true, outputs: [true] }]);
      const schema = { type: 'object', properties: { age: { type: 'integer', maximum: 20 } } };
      expect(await engines.checkSchema(schema)).toBeNull();
      expect(await engines.validate(schema, '{"age":20}')).toBeNull();
      expect(await engines.validate(schema, '{"age":21}')).toContain('age');
    } finally {
      await engines.close();
    }
  });
});

test('the packaged child process of policies evaluates a policy outside the repository', async () => {
  const engine = childPolicyEngine({ child: packagedPolicyChild(join(unpacked('evaluator'), 'policies')) });
  try {
    const files = { 'policy.rego': 'package policy\n\nallow if input.trail.name == data.params.name' };
    const question = { files, params: '{"name":"v1"}', input: '{"trail":{"name":"v1"}}', now: micros(0) };
    const result = { allow: true, violations: [] };
    expect(await engine.evaluate(question)).toEqual({ outcome: 'result', result });
  } finally {
    await engine.close();
  }
});
