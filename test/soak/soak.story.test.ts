import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IS_ON_BUNDLES, temporaryDir } from '#test/support/stack-process.ts';
import { soak } from './soak.ts';

it('keeps every answered write exactly once, records every delivery and logs no secret while calls fail', {
  timeout: 600_000,
}, async () => {
  const { problems, writes, reports, faults } = await soak({
    seconds: 20,
    ...(IS_ON_BUNDLES && { containers: 2 }),
    log: join(temporaryDir(), 'stack.log'),
    progress: () => undefined,
  });
  expect(problems).toEqual([]);
  // A busy machine does little in 20 seconds, but some of each kind.
  expect(Math.min(writes.answered, reports.answered)).toBeGreaterThan(5);
  expect(Object.keys(faults)).toEqual(expect.arrayContaining(['dynamodb throttle', 'dynamodb reset-after']));
});
