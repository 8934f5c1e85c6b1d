import * as z from 'zod';
import { recordGone } from '#shared/base/proofs/record-gone.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Answer, Format } from '#shared/http/request.ts';
import { secondsUntilCovered } from '#shared/log/receipts/ask-again.ts';
import { GET_RECEIPT, type OpenedReceipt } from '#shared/log/receipts/receipt.ts';
import { NOT_COVERED, proofFails, recordDiffers, textDiffers, textMissing } from '#shared/log/rules/sentences.ts';

const OpeningOut = z
  .object({
    name: z.string().meta({ description: 'Name of the commitment in the header' }),
    salt: z.string().nullable().meta({ description: 'The key of the HMAC in hex; null if the text was erased' }),
    text: z.string().nullable().meta({ description: 'The text whose HMAC-SHA-256 the commitment is; null if erased' }),
    erased: ErasureOut,
  })
  .meta({ id: 'Opening' });

const HeaderOut = z
  .object({
    org: z.string().meta({ description: 'Id of the organization' }),
    subject: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids of flow and trail, or the id of the environment, the audit entry or the evaluation' }),
    number: z.int().meta({ description: 'Number of the moment or snapshot; 0 for an audit entry or an evaluation' }),
    kind: z.string().meta({ description: 'What happened' }),
    at: z.int().meta({ description: 'When it was accepted, in microseconds since the epoch' }),
    record: z.string().optional().meta({ description: 'Id of the attestation or artifact report' }),
    commitments: z.record(z.string(), z.string()).meta({ description: 'HMAC-SHA-256 of each text, in hex' }),
  })
  .meta({ id: 'EntryHeader' });

const ReceiptOut = z
  .object({
    proof: z.string().meta({ description: 'The receipt as text: a tlog-proof file' }),
    index: z.int().meta({ description: 'Index of the entry in the log, from 0 on' }),
    size: z.int().meta({ description: 'Entries that the checkpoint covers' }),
    hash: z.string().meta({ description: 'SHA-256 of the entry in hex, as in `Evidence-Moment`' }),
    header: HeaderOut.describe('The header of the entry: ids, number, time and commitments'),
    openings: z.array(OpeningOut).meta({ description: 'The texts that the header commits to' }),
  })
  .meta({ id: 'Receipt' });

/** What all receipts have in common (rules/log.md#receipts). */
export const RECEIPT = {
  description:
    'A C2SP tlog-proof file: the entry, its index, the hashes from its leaf to the root, and the signed checkpoint. With `Accept: application/json` it comes together with the texts that the entry commits to. Until a checkpoint covers the entry, the answer is 202 with `Retry-After`.',
  produces: 'text',
  success: { 200: z.string(), 202: z.string() },
  successAsJson: {
    200: ReceiptOut,
    202: z.object({ message: z.string().meta({ description: 'That the receipt is not ready yet' }) }),
  },
  uses: GET_RECEIPT,
} as const;

export const RECEIPT_FAULTS = [recordDiffers, recordGone, proofFails, textDiffers, textMissing];

export async function receiptAnswer(
  stores: Pick<Stores, 'table' | 'clock'>,
  format: Format,
  receipt: OpenedReceipt | null,
): Promise<Answer<string | z.input<typeof ReceiptOut> | { message: string }>> {
  if (!receipt) {
    const body = format === 'json' ? { message: NOT_COVERED } : `${NOT_COVERED}\n`;
    return { status: 202, body, headers: { 'retry-after': `${await secondsUntilCovered(stores)}` } };
  }
  return { status: 200, body: receipt.opened ? receiptOut(receipt, receipt.opened) : receipt.proof };
}

const receiptOut = (
  { proof, index, size, hash }: OpenedReceipt,
  { header, openings }: NonNullable<OpenedReceipt['opened']>,
): z.input<typeof ReceiptOut> => ({
  proof,
  index,
  size,
  hash: hash.toString('hex'),
  header,
  openings: openings.map(({ name, salt, text, erased }) => ({
    name,
    salt: salt && Buffer.from(salt).toString('hex'),
    text,
    ...erasedOut(erased),
  })),
});
