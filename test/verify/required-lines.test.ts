import { expect, test } from 'vitest';
import { policyOf } from '#shared/tlog/policy.ts';
import { verifyFiles } from '#verify/export.ts';
import { asExport, STATEMENT_KEY, sampleExport, seal } from './sample-export.ts';
import { type Files, logKey } from './sample-log.ts';

const { files: sample } = await sampleExport();
const verified = (files: Files) =>
  verifyFiles(asExport(seal(files)), { policy: policyOf(logKey), statementKey: STATEMENT_KEY });

/** Changes the lines of a family. */
function changed(family: string, change: (lines: string[]) => string[]): Files {
  const path = `data/records/${family}-0001.ndjson`;
  const lines = change((sample.get(path)?.toString() ?? '').trimEnd().split('\n'));
  const files = new Map([...sample].filter(([one]) => one !== path));
  if (lines.length > 0) files.set(path, Buffer.from(lines.map((line) => `${line}\n`).join('')));
  return files;
}

test.each<[string, () => Files, string]>([
  ['without its organization', () => changed('organization', () => []), 'no line has the organization'],
  ['with two organizations', () => changed('organization', (lines) => [...lines, ...lines]), 'the log is of'],
  ['without the flow of a trail', () => changed('flows', () => []), 'no line has the flow'],
  [
    'with another name of a flow that a report made',
    () => changed('flows', (lines) => lines.map((line) => line.replace('"shop"', '"web"'))),
    'the flow has the name web, its moments have shop',
  ],
  [
    'without the times of an environment',
    () => changed('environments', (lines) => lines.filter((line) => !line.includes('"times"'))),
    'no line has the times of',
  ],
])('an export %s is refused', async (_, files, fault) => {
  await expect(verified(files())).rejects.toThrow(fault);
});
