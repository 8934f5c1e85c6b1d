import * as z from 'zod';
import { StoredMicros } from '#shared/base/time.ts';
import { absent, change, unchanged } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import type { SignatureLine } from '../rules/signature-line.ts';
import { signatureLineKey } from './keys.ts';

/** The line of logs that wait for a signature, one for the region (rules/log.md#signatures-of-a-region). */

const StoredLine = z.object({
  given: z.number(),
  called: z.number(),
  at: StoredMicros,
  rate: z.number(),
}) satisfies z.ZodType<SignatureLine>;

export async function readSignatureLine(table: Table): Promise<SignatureLine | null> {
  const item = await table.get(signatureLineKey());
  return item ? StoredLine.parse(item) : null;
}

/** Stores the line, if it is as the caller read it. @param before null if there was none @returns whether it was stored */
export const storeSignatureLine = (
  table: Table,
  before: SignatureLine | null,
  after: SignatureLine,
): Promise<boolean> =>
  table.update(
    signatureLineKey(),
    change({ set: { v: 1, ...after } }, before ? unchanged(before, 'given', 'called', 'at') : absent()),
  );
