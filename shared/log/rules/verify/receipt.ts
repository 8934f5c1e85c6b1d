import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import { scanJson } from '#shared/base/json-text.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import type { Policy } from '#shared/tlog/policy.ts';
import { parseProofFile, verifyProofFile } from '#shared/tlog/proof-file.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import type { LinkEntry } from '../entry.ts';
import { readEntry, subjectText } from './entries.ts';
import { Fault, inPlace } from './fault.ts';
import { NESTING, parsed } from './json.ts';

/** What was found, by label. */
type Counts = Record<string, string | number>;

const Hex = z.string().regex(/^(?:[0-9a-f]{2})+$/);

const JsonReceipt = z.object({
  proof: z.string(),
  index: z.int(),
  size: z.int(),
  hash: z.string(),
  header: z.unknown(),
  openings: z.array(z.object({ name: z.string(), salt: Hex.nullable(), text: z.string().nullable() })),
});
type JsonReceipt = z.infer<typeof JsonReceipt>;

/** What a receipt proves. `exceptions` are what it does not prove, as parts of a sentence. */
interface VerifiedReceipt {
  counts: Counts;
  exceptions: readonly string[];
}

/**
 * Verifies a receipt, as text or as JSON (rules/verification.md#receipt).
 *
 * @param place names the receipt in a fault
 * @throws Fault
 */
export function verifyReceipt(place: string, bytes: Buffer, policy: Policy): VerifiedReceipt {
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
  if (!json) return { counts, exceptions: [] };
  if (entry.kind !== 'link') throw new Fault(place, 'the entry is the record of a statement, which has no header');
  requireEqual(place, 'index', json.index, file.index);
  requireEqual(place, 'size', json.size, checkpoint.size);
  requireEqual(place, 'hash', json.hash, hash);
  requireEqual(place, 'header', json.header, entry.header);
  const erased = verifyOpenings(place, json, entry);
  const exceptions = erased.length > 0 ? [`texts that are marked as erased: ${erased.join(', ')}`] : [];
  return { counts: { ...counts, ...namesIn(place, json), ...standingsOf(json) }, exceptions };
}

/** The commitments whose texts no erasure removes, by the kind of the subject (rules/log.md#openings). */
export const LASTING: Readonly<Record<string, readonly string[]>> = {
  trail: ['moment', 'record'],
  environment: ['summary', 'content'],
  audit: ['entry'],
  evaluation: ['evaluation', 'context', 'policy'],
};

/** Verifies that each text is the one under its commitment. @returns names of the texts that are marked as erased */
function verifyOpenings(
  place: string,
  { openings }: JsonReceipt,
  { header: { commitments }, subject }: LinkEntry,
): string[] {
  const names = openings.map(({ name }) => name);
  requireEqual(place, 'names of openings', names.toSorted(), Object.keys(commitments).toSorted());
  return openings.flatMap(({ name, salt, text }) => {
    if (salt === null && text === null) {
      if (!LASTING[subject.kind]?.includes(name)) return name;
      throw new Fault(place, `the text under '${name}' is marked as erased, and no erasure removes this text`);
    }
    if (salt === null || text === null)
      throw new Fault(place, `the opening '${name}' has a text or a salt, and not both`);
    if (commitment(Buffer.from(salt, 'hex'), text).toString('hex') !== commitments[name]) {
      throw new Fault(place, `the text under '${name}' is not the text that the entry commits to`);
    }
    return [];
  });
}

/** What a moment and a summary of a snapshot say of the names at the time of the entry. */
const Named = {
  moment: z.object({ names: z.object({ flow: z.string(), trail: z.string() }) }).transform(({ names }) => names),
  summary: z.object({ name: z.string() }).transform(({ name }) => ({ environment: name })),
} as const;

function namesIn(place: string, { openings }: JsonReceipt): Counts {
  const names: Counts = {};
  for (const { name, text } of openings) {
    if (text === null || (name !== 'moment' && name !== 'summary')) continue;
    Object.assign(names, Named[name].safeParse(parsed(place, text, `text under '${name}'`)).data);
  }
  return names;
}

const standingsOf = ({ openings }: JsonReceipt): Counts =>
  Object.fromEntries(
    openings.map(({ name, text }) => [
      `text '${name}'`,
      text === null ? 'marked as erased' : 'as the entry commits to',
    ]),
  );

function requireEqual(place: string, field: string, given: unknown, expected: unknown): void {
  if (isDeepStrictEqual(given, expected)) return;
  throw new Fault(place, `${field} is ${JSON.stringify(given)}; the proof gives ${JSON.stringify(expected)}`);
}

function readJson(place: string, bytes: Buffer): JsonReceipt {
  let value: unknown;
  try {
    const text = bytes.toString('utf8');
    scanJson(text, NESTING);
    value = JSON.parse(text);
  } catch (error) {
    throw new Fault(place, 'the receipt begins as JSON and cannot be read', error);
  }
  const { data, error } = JsonReceipt.safeParse(value);
  if (!data) throw new Fault(place, `the receipt is no JSON of a receipt: ${z.prettifyError(error)}`);
  return data;
}
