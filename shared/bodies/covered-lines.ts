import type * as z from 'zod';
import type { CoveredLine } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { bodyCommitment, type StoredBody } from '#shared/bodies/bodies.ts';
import { recordJson } from '#shared/bodies/record-json.ts';
import type { Write } from '#shared/table/table.ts';

/**
 * Returns the writes of a transaction that its caller adds: the claim of the request, and the audit entry that covers what
 * the change leaves behind.
 */
export type Covering<C = never> = (covers: readonly Cover[]) => readonly Write<C>[];

/** How the export shows records of a kind: the name of the kind in the line, and the schema of the stored item. */
interface ShownKind {
  item: string;
  schema: z.ZodObject;
}

/**
 * Returns a record as the line of an export has it, for the audit entry that covers the record.
 *
 * @param more members that the export adds to the record
 */
export function lineOf({ item, schema }: ShownKind, record: object, more: Record<string, unknown> = {}): CoveredLine {
  // The sort key is no part of a line. Some schemas need one.
  const { sk: _, ...shown } = schema.parse({ sk: '', ...record });
  // The form of bodies makes JSON values of all members, and `item` is a text.
  return recordJson({ item, ...shown, ...more }, bodyForm) as CoveredLine;
}

const bodyForm = (body: StoredBody) =>
  body.store === 'erased'
    ? { erased: body.erased ?? true }
    : { commitment: Buffer.from(bodyCommitment(body)).toString('hex') };
