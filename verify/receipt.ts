import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import { entryHash } from '#shared/evidence/rules/hash-chain.ts';
import type { LinkEntry } from '#shared/log/rules/entry.ts';
import type { Policy } from '#shared/tlog/policy.ts';
import { parseProofFile, verifyProofFile } from '#shared/tlog/proof-file.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { subjectText } from './chains.ts';
import type { Counts, Verified } from './counts.ts';
import { Fault, inPlace } from './fault.ts';
import { readEntry } from './read-entry.ts';

const Hex = z.string().regex(/^(?:[0-9a-f]{2})+$/);

/** A receipt with its openings, as the service answers it in JSON. */
const JsonReceipt = z.object({
  proof: z.string(),
  index: z.int(),
  size: z.int(),
  hash: z.string(),
  header: z.unknown(),
  openings: z.array(z.object({ name: z.string(), salt: Hex.nullable(), text: z.string().nullable() })),
});
type JsonReceipt = z.infer<typeof JsonReceipt>;

/** Verifies a receipt, as text or as JSON (rules/verification.md#receipt). @throws Fault */
export function verifyReceipt(place: string, bytes: Buffer, policy: Policy): Verified {
  const json = bytes[0] === '{'.charCodeAt(0) ? readJson(place, bytes) : undefined;
  const { file, checkpoint } = inPlace(place, () => {
    const file = parseProofFile(json?.proof ?? bytes);
    if (!file.extra) throw new Fault(place, 'the receipt does not hold its entry: it has no line `extra`');
    return { file, checkpoint: verifyProofFile(file, leafHash(file.extra), policy) };
  });
  const bytesOfEntry = file.extra ?? Buffer.alloc(0);
  const entry = readEntry(place, bytesOfEntry);
  const hash = entryHash(bytesOfEntry).toString('hex');
  const counts: Counts = {
    log: checkpoint.origin,
    entry: `${file.index} of ${checkpoint.size}`,
    subject: subjectText(entry.subject),
    hash,
    witnesses: checkpoint.signatures.filter(({ seconds }) => seconds !== undefined).length,
  };
  if (!json) return { counts, scope: [], exceptions: [] };
  if (entry.kind !== 'link') throw new Fault(place, 'the entry is the record of a statement, which has no header');
  requireEqual(place, 'index', json.index, file.index);
  requireEqual(place, 'size', json.size, checkpoint.size);
  requireEqual(place, 'hash', json.hash, hash);
  requireEqual(place, 'header', json.header, entry.header);
  const openings = verifyOpenings(place, json, entry);
  const exceptions = openings.erased > 0 ? [`texts that are marked as erased: ${openings.erased}`] : [];
  return { counts: { ...counts, ...openings }, scope: [], exceptions };
}

function verifyOpenings(
  place: string,
  { openings }: JsonReceipt,
  { header: { commitments } }: LinkEntry,
): { openings: number; erased: number } {
  const names = openings.map(({ name }) => name);
  requireEqual(place, 'names of openings', names.toSorted(), Object.keys(commitments).toSorted());
  for (const { name, salt, text } of openings) {
    if (salt === null && text === null) continue;
    if (salt === null || text === null)
      throw new Fault(place, `the opening '${name}' has a text or a salt, and not both`);
    if (commitment(Buffer.from(salt, 'hex'), text).toString('hex') !== commitments[name]) {
      throw new Fault(place, `the text under '${name}' is not the text that the entry commits to`);
    }
  }
  const erased = openings.filter(({ text }) => text === null).length;
  return { openings: openings.length - erased, erased };
}

function requireEqual(place: string, field: string, given: unknown, expected: unknown): void {
  if (isDeepStrictEqual(given, expected)) return;
  throw new Fault(place, `${field} is ${JSON.stringify(given)}; the proof gives ${JSON.stringify(expected)}`);
}

function readJson(place: string, bytes: Buffer): JsonReceipt {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Fault(place, 'the receipt begins as JSON and cannot be read', error);
  }
  const { data, error } = JsonReceipt.safeParse(value);
  if (!data) throw new Fault(place, `the receipt is no JSON of a receipt: ${z.prettifyError(error)}`);
  return data;
}
