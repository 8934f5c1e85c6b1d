import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
    JSON.stringify({ operator: listener.endpoint, endpoints: { dynamodb: databaseAddress() }, table: table.name }),
  );
});
afterAll(async () => {
  await listener.stop();
  rmSync(dataDir, { recursive: true });
});

/** Runs the command as `npm run operator --` does. */
const operator = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['infra/operator.ts', ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
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

  test('exits with 1 and prints the reason if the function refuses the command', async () => {
    expect(await onStack('issue-key', '--user', 'nobody', '--description', 'x')).toMatchObject({
      code: 1,
      stdout: "There is no user 'nobody'\n",
    });
  });

  test('prints its usage for wrong arguments, and the known regions for an unknown region', async () => {
    expect(await operator()).toMatchObject({ code: 1, stdout: expect.stringContaining('Usage') });
    expect(await operator('create-user', '--colour', 'red')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Usage'),
    });
    expect(await operator('create-user', '--name', 'a', '--region', 'mars')).toMatchObject({
      code: 1,
      stderr: "There is no region 'mars'; give eu or us\n",
    });
  });

  test('says how to start a local stack if none is running', async () => {
    const { code, stderr } = await operator('create-user', '--name', 'a', '--data-dir', join(dataDir, 'nowhere'));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Start one with npm start') });
  });
});
