import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { StartError } from '#infra/local/start-error.ts';
import { checkedLogs, readPolicy } from '#infra/local/witness-options.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'witness-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function policyFile(text: string): string {
  const file = join(folder, 'policy.txt');
  writeFileSync(file, text);
  return file;
}

it('reads a policy file and keys of logs as they are', () => {
  const { witnessPolicy: setting, witnessedLogs: logs } = OPTIONAL_SETTINGS.eu;
  // A setting of a deployment is one line. A file has a line for each part.
  const policy = setting.replaceAll('; ', '\n').replaceAll(';', '\n');
  expect([readPolicy(policyFile(policy)), checkedLogs(logs)]).toEqual([policy, logs]);
  expect([readPolicy(undefined), checkedLogs(undefined)]).toEqual([undefined, undefined]);
});

it.each([
  ['a policy with a wrong line', () => readPolicy(policyFile('quorum us\n')), /is refused: Line 1 of the policy/],
  ['a file that does not exist', () => readPolicy(join(folder, 'none')), /cannot be read/],
  ['a key that is none', () => checkedLogs('key'), /^--witness-log is refused: The verifier key 'key'/],
])('refuses %s', (_, read, sentence) => {
  expect(read).toThrow(StartError);
  expect(read).toThrow(sentence);
});
