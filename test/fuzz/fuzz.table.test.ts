import { expect, test } from 'vitest';
import { buildConsole } from '#infra/bundles/console.ts';
import { testServices } from '#test/support/services.ts';
import { databaseAddress } from '#test/support/table.ts';
import { fuzz, reportText } from './run.ts';
import { storedIn } from './stored.ts';

await buildConsole();
const services = await testServices();

const REQUESTS = 1_000;
/** The seed is fixed, so that each run makes the same requests. `npm run fuzz` uses a new seed each time. */
const SEED = 20_261_121;

test(`${REQUESTS} generated requests get answers that match the OpenAPI document, and refused requests store nothing`, async () => {
  const report = await fuzz(services, storedIn(databaseAddress(), services.table.name), {
    seed: SEED,
    requests: REQUESTS,
  });
  console.log(reportText(report));
  expect(report.problems).toEqual([]);
  // If most requests were refused, the run would check little.
  expect(report.succeeded.length).toBeGreaterThan(report.operations.length / 2);
  expect(report.compared).toBeGreaterThan(0);
});
