import { testId } from '#test/support/ids.ts';
import { scanItems } from '#test/support/scan-items.ts';
import type { Stored } from './run.ts';

/** Looks at all items of an organization. */
export const storedIn =
  (endpoint: string, table: string): Stored =>
  async (org) =>
    (await scanItems(endpoint, table, testId(org))).map((item) => JSON.stringify(item)).sort();
