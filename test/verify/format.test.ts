import { beforeAll, expect, it } from 'vitest';
import { policyOf } from '#shared/tlog/policy.ts';
import { verifyFiles } from '#verify/export.ts';
import { asExport, sampleExport } from './sample-export.ts';
import { type Files, logKey } from './sample-log.ts';

let sample: Files;
beforeAll(async () => {
  ({ files: sample } = await sampleExport());
});

it.each([
  ['an older format', '', 'the export has an older format (Export-Format is missing)', 'Start a new export'],
  ['format 1', 'Export-Format: 1\n', 'the export has an older format (Export-Format is 1)', 'Start a new export'],
  ['a newer format', 'Export-Format: 3\n', "the export has the format '3'", 'Use a newer verifier'],
  ['a format that is no number', 'Export-Format: two\n', "the export has the format 'two'", 'Use a newer verifier'],
])('an export of %s is refused with what to do', async (_, line, what, advice) => {
  const info = String(sample.get('bag-info.txt')).replace('Export-Format: 2\n', line);
  const files = new Map([...sample, ['bag-info.txt', Buffer.from(info)]]);
  const outcome = verifyFiles(asExport(files), { policy: policyOf(logKey) });
  await expect(outcome).rejects.toMatchObject({
    place: 'bag-info.txt',
    message: expect.stringMatching(new RegExp(`${what.replace(/[()]/g, '\\$&')}.*${advice}`)),
  });
});
