import { expect, it } from 'vitest';
import { policyOf } from '#shared/tlog/policy.ts';
import { verifyFiles } from '#verify/export.ts';
import { resealed } from './changed-export.ts';
import { asExport, sampleExport } from './sample-export.ts';
import { logKey } from './sample-log.ts';

const { files: sample } = await sampleExport();
const LINES = ['Service-Version: 1.2.3', `Service-Commit: ${'a'.repeat(40)}`, 'Data-Format: 1'];

/** Verifies the sample with lines behind those of `bag-info.txt`. */
const verified = (lines: readonly string[]) => {
  const info = String(sample.get('bag-info.txt')) + lines.map((line) => `${line}\n`).join('');
  const files = resealed(new Map([...sample, ['bag-info.txt', Buffer.from(info)]]));
  return verifyFiles(asExport(files), { policy: policyOf(logKey) });
};

it('an export of a release that did not name itself is accepted, and one that names its release', async () => {
  await expect(verified([])).resolves.toBeDefined();
  await expect(verified(LINES)).resolves.toBeDefined();
});

it.each([
  ['one of the three lines only', LINES.slice(0, 1)],
  ['the lines in another order', LINES.toReversed()],
  ['a data format that is no number', [...LINES.slice(0, 2), 'Data-Format: one']],
  ['another line behind them', [...LINES, 'Note: trust me']],
])('an export with %s is refused', async (_, lines) => {
  await expect(verified(lines)).rejects.toMatchObject({
    place: 'bag-info.txt',
    message: expect.stringContaining('the file has other lines than those of an export'),
  });
});
