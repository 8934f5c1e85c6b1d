import * as z from 'zod';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { Answer, Format } from '#shared/http/endpoint.ts';
import { proofFails, recordDiffers, recordGone, textDiffers, textMissing } from '#shared/http/sentences.ts';
import { requireOpenings } from '#shared/log/check-openings.ts';
import type { Opening } from '#shared/log/openings.ts';
import type { Receipt } from '#shared/log/receipt.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { NOT_COVERED } from '#shared/log/rules/sentences.ts';
import { parseProofFile } from '#shared/tlog/proof-file.ts';

const OpeningOut = z
  .object({
    name: z.string().meta({ description: 'Name of the commitment in the header' }),
    salt: z.string().nullable().meta({ description: 'The key of the HMAC in hex; null if the text was erased' }),
    text: z.string().nullable().meta({ description: 'The text whose HMAC-SHA-256 the commitment is; null if erased' }),
    erased: ErasureOut.optional(),
  })
  .meta({ id: 'Opening' });

const HeaderOut = z
  .object({
    org: z.string().meta({ description: 'Id of the organization' }),
    subject: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids of flow and trail, or the id of the environment or of the audit entry' }),
    number: z.int().meta({ description: 'Number of the moment or snapshot; 0 for an audit entry' }),
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
    header: HeaderOut,
    openings: z.array(OpeningOut).meta({ description: 'The texts that the header commits to' }),
  })
  .meta({ id: 'Receipt' });

/** What all receipts have in common (rules/log.md#receipts). */
export const RECEIPT = {
  produces: 'text',
  success: { 200: z.string(), 202: z.string() },
  successAsJson: {
    200: ReceiptOut,
    202: z.object({ message: z.string().meta({ description: 'That the receipt is not ready yet' }) }),
  },
  uses: { bucket: ['log:read', 'bodies:read'] },
} as const;

/** The same for descriptions of operations. */
export const ABOUT_RECEIPTS =
  'A C2SP tlog-proof file: the entry, its index, the hashes from its leaf to the root, and the signed checkpoint. With `Accept: application/json` it comes together with the texts that the entry commits to. Until a checkpoint covers the entry, the answer is 202 with `Retry-After`.';

/** The faults that every receipt can answer. */
export const RECEIPT_FAULTS = [recordDiffers, recordGone, proofFails, textDiffers, textMissing];

/** Seconds until it is worth while to ask again. */
const RETRY_AFTER = '2';

/** Answers with a receipt, or with 202 if there is none yet. @param openings reads the texts; only called for JSON */
export async function receiptAnswer(
  format: Format,
  receipt: Promise<Receipt | null>,
  openings: () => Promise<Opening[]>,
): Promise<Answer<string | z.input<typeof ReceiptOut> | { message: string }>> {
  const isJson = format === 'json';
  const [made, opened] = await Promise.all([receipt, isJson ? openings() : []]);
  if (!made) {
    const body = isJson ? { message: NOT_COVERED } : `${NOT_COVERED}\n`;
    return { status: 202, body, headers: { 'retry-after': RETRY_AFTER } };
  }
  return { status: 200, body: isJson ? receiptOut(made, opened) : made.proof };
}

function receiptOut({ proof, index, size, hash }: Receipt, openings: readonly Opening[]): z.input<typeof ReceiptOut> {
  const entry = parseEntry(parseProofFile(proof).extra ?? Buffer.alloc(0));
  if (entry.kind !== 'link') throw new Error(`Entry ${index} is the record of a statement, which has no header`);
  requireOpenings(entry.header.commitments, openings, index);
  return {
    proof,
    index,
    size,
    hash: hash.toString('hex'),
    header: entry.header,
    openings: openings.map(({ name, salt, text, erased }) => ({
      name,
      salt: salt && Buffer.from(salt).toString('hex'),
      text,
      ...erasedOut(erased),
    })),
  };
}
