import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IS_ON_BUNDLES, temporaryDir } from '#test/support/stack-process.ts';
import { soakTenants } from './soak-tenants.ts';

it('loses nothing of anybody while one organization floods the service, and answers everybody else', {
  timeout: 600_000,
}, async () => {
  const both = { rate: 2, burst: 2 };
  const limit = { requests: both, writes: both };
  const { problems, quiet, flooders, answered } = await soakTenants({
    organizations: 3,
    flood: 1,
    seconds: 10,
    limits: { stage: { rate: 1_000, burst: 1_000 }, organization: limit, key: limit },
    ...(IS_ON_BUNDLES && { containers: 2 }),
    log: join(temporaryDir(), 'stack.log'),
    progress: () => undefined,
  });
  expect(problems).toEqual([]);
  expect(Math.min(quiet.without.writes, quiet.during.writes, answered)).toBeGreaterThan(0);
  // The flood sends six requests a second, and may send two.
  expect(flooders['429']).toBeGreaterThan(0);
});
