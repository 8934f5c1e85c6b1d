import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceFunction } from '#infra/constructs/service-function.ts';
import { packagedChild } from '#shared/engines/packaged-child.ts';

const run = promisify(execFile);
const GROUP = 'custom-attestation-types';
const BUNDLING_MILLIS = 120_000;

/** Settings of a function that reaches nothing: what it does before it asks AWS is what these tests see. */
const ENVIRONMENT = {
  TABLE_NAME: 'evidence',
  BUCKET_NAME: 'evidence',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

let folder: string;
let bundle: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  const stack = new Stack(new App({ outdir: folder }), 'Bundles');
  new ServiceFunction(stack, 'Group', {
    name: GROUP,
    description: 'A group with engines',
    timeout: Duration.seconds(29),
    memorySize: 1769,
    logRetention: 90,
    engines: true,
  });
  const assets = readdirSync(folder).filter((name) => name.startsWith('asset.'));
  expect(assets).toHaveLength(1);
  bundle = join(folder, assets[0] ?? '');
}, BUNDLING_MILLIS);

afterAll(() => rm(folder, { recursive: true }));

/** Runs a script in a process of its own, beside the bundle and far from the sources; gives back what it printed. */
const runBeside = async (script: string, argument = ''): Promise<unknown> => {
  const { stdout } = await run(process.execPath, ['-e', script, argument], { cwd: bundle, env: ENVIRONMENT });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};

describe('a bundle', () => {
  test('is the function, the process of its engines, and nothing else', () => {
    const files = readdirSync(bundle, { recursive: true }).map(String).toSorted();
    expect(files).toEqual(['engines', 'engines/child.js', 'engines/jq.js', 'engines/jq.wasm', 'index.js']);
  });

  test('leaves its source maps beside the assembly', () => {
    expect(readdirSync(join(folder, 'source-maps', GROUP)).toSorted()).toEqual(['child.js.map', 'index.js.map']);
  });

  test('stays lean: everything that a group needs is well below two megabytes', () => {
    expect(statSync(join(bundle, 'index.js')).size).toBeLessThan(2_000_000);
  });

  test('runs without the sources and refuses a request without a credential', async () => {
    const event = {
      version: '2.0',
      rawPath: '/api/v2/custom-attestation-types/acme',
      rawQueryString: '',
      headers: {},
      requestContext: { requestId: 'request-1', domainName: 'localhost', http: { method: 'GET' } },
      isBase64Encoded: false,
    };
    const script = `
      const { handler } = require('./index.js');
      handler(${JSON.stringify(event)}).then((result) => console.log(JSON.stringify(result)));`;
    expect(await runBeside(script)).toMatchObject({
      statusCode: 401,
      headers: { 'x-request-id': 'request-1' },
      body: '{"message":"Authentication required"}',
    });
  });
});

describe('the packaged process of the engines', () => {
  test('runs a jq program and validates a document, far from the sources', async () => {
    const { childEngines } = await import('#shared/engines/child-engines.ts');
    const engines = childEngines({ child: packagedChild(join(bundle, 'engines')) });
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
