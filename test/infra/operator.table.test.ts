import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import type { LocalServer } from '#infra/local/http.ts';
import { startOperatorListener } from '#infra/local/operator-listener.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { Table } from '#shared/table/table.ts';
import { uniqueName } from '#test/support/directory.ts';
import { operatorServices } from '#test/support/log/log.ts';
import { databaseAddress, testTable } from '#test/support/table.ts';

let table: Table;
let listener: LocalServer;
const dataDir = mkdtempSync(join(tmpdir(), 'operator-'));
beforeAll(async () => {
  table = await testTable();
  listener = await startOperatorListener((command) => runOperator(operatorServices(table), command));
  writeFileSync(
    join(dataDir, 'stack.json'),
    JSON.stringify({
      operator: listener.endpoint,
      endpoints: { dynamodb: databaseAddress(), s3: inject('s3') },
      table: table.name,
    }),
  );
});
afterAll(async () => {
  await listener.stop();
  rmSync(dataDir, { recursive: true });
});

/** Runs the command as `npm run operator --` does. */
const operator = (...args: string[]) => operatorIn(process.cwd(), {}, ...args);

/** Runs the command in another folder, which has a `cdk.json` of its own, and with more variables. */
const operatorIn = (
  cwd: string,
  variables: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const options = { cwd, env: { ...env, ...variables } };
    execFile(
      process.execPath,
      [join(process.cwd(), 'infra/operator.ts'), ...args],
      options,
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
const onStack = (...args: string[]) => operator(...args, '--data-dir', dataDir);

describe('npm run operator', () => {
  test('sends commands to the running local stack and prints the outcome', async () => {
    const [org, user] = [uniqueName('org'), uniqueName('user')];
    const created = await onStack('create-org', '--name', org, '--features', 'controls', '--features', 'evaluations');
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining(`Created the organization '${org}'`) });
    await onStack('create-user', '--name', user);
    await onStack('set-feature', '--organization', org, '--feature', 'controls', '--enabled', 'false');
    expect((await new Directory(table).organization(org))?.features).toEqual(['evaluations']);
    const key = await onStack('issue-key', '--user', user, '--description', 'CI', '--expires-at', '4000000000');
    expect(key.stdout).toMatch(/key: "dek_[\w-]{43}"\n {2}expires_at: 4000000000/);
  });

  test('says which keys of an identified user still work, and ends them on demand', async () => {
    const user = uniqueName('user');
    await onStack('create-user', '--name', user);
    await onStack('issue-key', '--user', user, '--description', 'CI');
    const identify = ['identify-user', '--user', user, '--email', `${user}@example.com`];
    expect((await onStack(...identify)).stdout).toContain('To end them, repeat the command with --end-keys');
    expect((await onStack(...identify, '--end-keys')).stdout).toMatch(/keys: 0\n[\s\S]*ended_keys: 1\n/);
    expect((await operator('--help')).stdout).toMatch(/identify-user .* \[--end-keys\]/);
  });

  test('migrates the table of the running local stack, or says that there is nothing to do', async () => {
    const nothing = 'Every item has the newest format that this release knows\n';
    expect(await onStack('migrate')).toMatchObject({ code: 0, stdout: nothing });
    expect(await onStack('migrate', '--dry-run')).toMatchObject({ code: 0, stdout: nothing });
  });

  test('imports nothing without an export and the key of its log', async () => {
    expect(await onStack('import')).toMatchObject({ code: 1, stderr: expect.stringContaining('Name the export: ') });
    expect(await onStack('import', 'package.json')).toMatchObject({
      code: 1,
      stderr: '--log-key is missing: a key from the export itself proves nothing\n',
    });
    expect(await onStack('import', 'package.json', '--log-key', 'x')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^package\.json is not an export: /),
    });
  });

  test('exits with 1 and prints the reason if the function refuses the command', async () => {
    expect(await onStack('issue-key', '--user', 'nobody', '--description', 'x')).toMatchObject({
      code: 1,
      stdout: "There is no user 'nobody'\n",
    });
  });

  test('prints its usage for wrong arguments, and the known stages for an unknown stage', async () => {
    expect(await operator()).toMatchObject({ code: 1, stdout: expect.stringContaining('Usage') });
    expect(await operator('create-user', '--colour', 'red')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Usage'),
    });
    expect(await operator('create-user', '--name', 'a', '--stage', 'mars')).toMatchObject({
      code: 1,
      stderr: "cdk.json: there is no stage 'mars'; the stages are eu, us.\n",
    });
  });

  test('says how to start a local stack if none is running', async () => {
    const { code, stderr } = await operator('create-user', '--name', 'a', '--data-dir', join(dataDir, 'nowhere'));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Start one with npm start') });
  });
});

describe('npm run operator for a stage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'operator-stage-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const calls: { url: string; scope: string; command: unknown }[] = [];

  /** Starts the part of Lambda that invokes functions, and returns the variables that lead to it. */
  async function startLambda(): Promise<Record<string, string>> {
    const server = createServer(async (request, response) => {
      const command = await json(request);
      const [, scope = ''] = /Credential=[^/]+\/([^,]+),/.exec(request.headers.authorization ?? '') ?? [];
      calls.push({ url: decodeURIComponent(request.url ?? ''), scope: scope.replace(/^\d+/, 'DAY'), command });
      response.end(JSON.stringify({ ok: true, message: 'Done' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    // A listening server has an address with a port.
    const { port } = server.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'example',
    };
  }

  test('calls the function of the stage in the region and the account that the file of the deployment names', async () => {
    const variables = await startLambda();
    writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ context: { stages: 'stages.json' } }));
    const stages = { trial: { region: 'eu-north-1', account: '123456789012' }, eu: {} };
    writeFileSync(join(folder, 'stages.json'), JSON.stringify(stages));
    const command = ['create-user', '--name', 'ann'];
    const done = { code: 0, stdout: 'Done\n' };
    expect(await operatorIn(folder, variables, ...command, '--stage', 'trial')).toMatchObject(done);
    expect(await operatorIn(folder, variables, ...command, '--region', 'eu')).toMatchObject(done);
    const sent = { command: 'create-user', name: 'ann' };
    const path = (name: string) => `/2015-03-31/functions/${name}/invocations`;
    expect(calls).toEqual([
      {
        url: path('123456789012:function:delivery-evidence-trial-operator'),
        scope: 'DAY/eu-north-1/lambda/aws4_request',
        command: sent,
      },
      { url: path('delivery-evidence-eu-operator'), scope: 'DAY/eu-central-1/lambda/aws4_request', command: sent },
    ]);
  });

  test('says in one sentence what is wrong with the file', async () => {
    writeFileSync(join(folder, 'cdk.json'), '{ "context": { "stages": { "eu": {}, "eu": {} } } }');
    const { code, stderr } = await operatorIn(folder, {}, 'create-user', '--name', 'ann', '--stage', 'eu');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'cdk.json: the key "eu" stands twice in one object, the second time in line 1; give each stage a name of its own, and each setting once.\n',
    });
  });
});
