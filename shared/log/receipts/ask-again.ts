import type { Stores } from '#shared/bodies/stores.ts';
import { readSignatureLine } from '../records/signature-line.ts';
import { secondsToWait } from '../rules/signature-line.ts';

/** How long a checkpoint takes at least that does not wait in the line for signatures, in seconds. */
const SOON = 2;

/**
 * Returns after how many seconds a caller asks again for what no checkpoint covers yet (rules/log.md#receipts-that-are-not-ready).
 * Takes one call.
 */
export const secondsUntilCovered = async ({ table, clock }: Pick<Stores, 'table' | 'clock'>): Promise<number> =>
  SOON + secondsToWait(await readSignatureLine(table), clock.now());
