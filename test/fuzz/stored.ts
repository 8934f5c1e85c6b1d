import { testId } from '#test/support/ids.ts';
import { scanItems } from '#test/support/table/scan-items.ts';
import type { ReadStored } from './run.ts';

/** Returns a function that reads all items of an organization from a table. */
export const storedIn =
  (endpoint: string, table: string): ReadStored =>
  async (org) =>
    (await scanItems(endpoint, table, testId(org))).map((item) => JSON.stringify(item)).sort();
