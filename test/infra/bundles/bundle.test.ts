import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { type Bundle, bundleFunctions, functionNames, POLICY_FUNCTIONS } from '#infra/bundles/bundle.ts';
import { bundleHello } from '#infra/bundles/hello.ts';
import { unpack } from '#infra/bundles/unpack.ts';
import { childEngines } from '#shared/engines/child-engines.ts';
import { packagedChild } from '#shared/engines/packaged-child.ts';
import { childPolicyEngine } from '#shared/evaluations/child-policy-engine.ts';
import { packagedPolicyChild } from '#shared/evaluations/packaged-policy-child.ts';
import { folderOfFile } from '../synthesized.ts';

const run = promisify(execFile);
const BUNDLING_MILLIS = 300_000;
const MIB = 1024 * 1024;
/** How much larger than a hello-world handler with the same clients a group's archive may be. */
const RATIO = 1.5;

/**
 * The groups that judge the policies of environments carry what those are written in: YAML and regular
 * expressions that end in linear time, a quarter megabyte together (docs/decisions/0061). They may be as large as this.
 */
const JUDGING_RATIO = 2;
const JUDGING_GROUPS = ['asserts', 'environments', 'policies', 'allowlists'];
const ratioOf = (name: string) => (JUDGING_GROUPS.includes(name) ? JUDGING_RATIO : RATIO);

/** Settings of a function that reaches nothing: what it does before it asks AWS is what these tests see. */
const ENVIRONMENT = {
  TABLE_NAME: 'evidence',
  BUCKET_NAME: 'evidence',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

const folder = folderOfFile('bundles-');
const unpacked = (name: string) => join(folder, 'unpacked', name);
let bundles: Bundle[];

beforeAll(async () => {
  bundles = await bundleFunctions(folder);
  for (const { name, zip } of bundles) unpack(zip, unpacked(name));
}, BUNDLING_MILLIS);

/** Calls a bundle in a process of its own, far from the sources; gives back its answer. */
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
  test('are made of every function', () => {
    expect(bundles.map(({ name }) => name)).toEqual(functionNames());
  });

  test('are the function, the process of its engines where it has them, and nothing else', () => {
    const files = (name: string) =>
      readdirSync(unpacked(name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(unpacked(name).length + 1))
        .toSorted();
    expect(files('flows')).toEqual(['index.js']);
    expect(files('attestations')).toEqual(['engines/child.js', 'engines/jq.js', 'engines/jq.wasm', 'index.js']);
    for (const name of POLICY_FUNCTIONS) expect(files(name)).toEqual(['index.js', 'policies/child.js']);
  });

  test('leave their source maps apart', () => {
    const maps = readdirSync(join(folder, 'source-maps', 'attestations')).toSorted();
    expect(maps).toEqual(['engines-child.js.map', 'index.js.map']);
  });

  test('have the same bytes when they are made again', async () => {
    const [again] = await bundleFunctions(join(folder), ['unknown-route']);
    expect(again).toEqual(bundles.find(({ name }) => name === 'unknown-route'));
  });
});

describe('the archive of a group', () => {
  test.each(groups.map(({ name }) => name))(
    'is lean: %s',
    async (name) => {
      const { size, clients } = bundles.find((bundle) => bundle.name === name) ?? { size: Number.NaN, clients: [] };
      const hello = await bundleHello(join(folder, 'hello'), name, clients);
      expect(size).toBeLessThanOrEqual(MIB);
      expect({ name, ratio: size / hello }).toEqual({
        name,
        ratio: expect.toSatisfy((ratio) => ratio <= ratioOf(name)),
      });
    },
    BUNDLING_MILLIS,
  );

  test.each(groups.filter(({ endpoints }) => endpoints[0]?.access !== 'public'))(
    'runs far from the sources and refuses a request without a credential: $name',
    async ({ name, endpoints }) => {
      const [first] = endpoints;
      const path = `/api/v2${first?.path.replaceAll(/\{[^}]+\}/g, 'x')}`;
      expect(await invoke(name, request(first?.method ?? '', path))).toMatchObject({
        statusCode: 401,
        headers: { 'x-request-id': 'request-1' },
        body: '{"message":"Authentication required"}',
      });
    },
  );

  test('of the description carries the very text that the sources would make', async () => {
    const { documentText } = await import('#functions/meta/document.ts');
    const answer = (await invoke('meta', request('GET', '/api/v2/openapi.json'))) as { body: string };
    expect(JSON.parse(answer.body)).toEqual(JSON.parse(documentText()));
  });
});

describe('the archive of the reference', () => {
  test('has its files beside it, with the terms that they are passed on under, in a mebibyte', () => {
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
  ])('serves %s far from the sources', async (path, type, text) => {
    const answer = (await invoke('reference', request('GET', `/api/v2${path}`))) as { body: string };
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': type } });
    expect(answer.body).toContain(text);
  });
});

describe('the packaged process of the engines', () => {
  test('runs a jq program and validates a document, far from the sources', async () => {
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

test('the packaged process of policies evaluates one, far from the sources', async () => {
  const engine = childPolicyEngine({ child: packagedPolicyChild(join(unpacked('evaluator'), 'policies')) });
  try {
    const files = { 'policy.rego': 'package policy\n\nallow if input.trail.name == data.params.name' };
    const question = { files, params: '{"name":"v1"}', input: '{"trail":{"name":"v1"}}', now: 0 };
    const result = { allow: true, violations: [] };
    expect(await engine.evaluate(question)).toEqual({ outcome: 'result', result });
  } finally {
    await engine.close();
  }
});
