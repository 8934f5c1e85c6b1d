import { expect, test } from 'vitest';
import { testServices } from '#test/support/services.ts';
import { databaseAddress } from '#test/support/table.ts';
import { fuzz, reportText } from './run.ts';
import { storedIn } from './stored.ts';

const services = await testServices();

const REQUESTS = 1_000;
/** Another seed each day would be another test each day: long runs choose theirs (npm run fuzz). */
const SEED = 20_261_121;

test(`${REQUESTS} requests from the API's description are answered as it says, and the refused ones store nothing`, async () => {
  const report = await fuzz(services, storedIn(databaseAddress(), services.table.name), {
    seed: SEED,
    requests: REQUESTS,
  });
  console.log(reportText(report));
  expect(report.problems).toEqual([]);
  // A run that is refused everything would prove nothing.
  expect(report.succeeded.length).toBeGreaterThan(report.operations.length / 2);
  expect(report.compared).toBeGreaterThan(0);
});
