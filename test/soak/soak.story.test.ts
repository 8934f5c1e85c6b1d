import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDir } from '#test/support/stack-process.ts';
import { soak } from './soak.ts';

it('what was answered amid faults is there once and whole, was told or is in the books, and no secret is in the log', {
  timeout: 600_000,
}, async () => {
  const { problems, writes, reports, faults } = await soak({
    seconds: 20,
    log: join(temporaryDir(), 'stack.log'),
    tell: () => undefined,
  });
  expect(problems).toEqual([]);
  // Few on a busy machine, yet some of each.
  expect(Math.min(writes.answered, reports.answered)).toBeGreaterThan(5);
  expect(Object.keys(faults)).toEqual(expect.arrayContaining(['dynamodb throttle', 'dynamodb reset-after']));
});
