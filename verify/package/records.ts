import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import { LASTING } from '#shared/log/rules/verify/receipt.ts';
import type { ExportFiles } from '../export-files.ts';
import { Fault } from '../fault.ts';
import { Erased } from '../records/bodies.ts';
import { fitting, Hex32, LogIndex, linesOf, parsed } from '../records/lines.ts';
import type { Scope } from '../scope.ts';
import type { PackageChains } from './chains.ts';
import type { ProvedEntry } from './receipts.ts';

const Text = z.union([
  z.strictObject({ erased: z.union([z.literal(true), Erased]) }),
  z.strictObject({ salt: Hex32, text: z.string() }),
]);
type Text = z.infer<typeof Text>;

const RecordLine = z.strictObject({
  item: z.enum(['moment', 'snapshot', 'evaluation']),
  hash: Hex32,
  header: z.unknown(),
  texts: z.record(z.string(), Text),
  files: z.array(Text).optional(),
  findings: Text.optional(),
  log_index: LogIndex,
});
type RecordLine = z.infer<typeof RecordLine>;

/** The commitments that the text under the commitment `record` repeats. */
const ProvedRecord = z.looseObject({
  files: z.array(z.looseObject({ size: z.int(), commitment: Hex32 })).optional(),
  findings: Hex32.optional(),
});

interface PackageState {
  files: ExportFiles;
  scope: Scope;
  receipts: ReadonlyMap<number, ProvedEntry>;
  chains: PackageChains;
}

/** What was counted of the records of a package. */
interface RecordCounts {
  /** Indexes of the entries that have a line. */
  read: Set<number>;
  /** SHA-256 of the attachments that records name. */
  attached: Set<string>;
  opened: number;
  erased: number;
}

const FAMILIES = { moments: 'trail', snapshots: 'environment', evaluations: 'evaluation' } as const;

/** Verifies every line of a package against the entry of its receipt (rules/verification.md#package). */
export async function verifyPackageRecords(state: PackageState): Promise<RecordCounts> {
  const counts: RecordCounts = { read: new Set(), attached: new Set(), opened: 0, erased: 0 };
  for (const [family, kind] of Object.entries(FAMILIES)) {
    for await (const { place, item, record } of linesOf(state, family)) {
      const line = fitting(place, RecordLine, record);
      const index = line.log_index;
      const name = `${family}/${item}`;
      if (index === undefined) {
        noteFiles(line, counts);
        state.scope.stands(name, 'later');
        continue;
      }
      const proved = state.receipts.get(index);
      if (!proved) throw new Fault(place, `the package has no receipt of entry ${index}`);
      if (counts.read.has(index)) throw new Fault(place, `an earlier line has entry ${index}`);
      counts.read.add(index);
      if (proved.entry.subject.kind !== kind) throw new Fault(place, `entry ${index} is not about a ${item}`);
      const erased = verifyLine(state, place, line, proved, counts);
      state.chains.add(place, proved.entry, proved.hash);
      state.scope.stands(name, erased ? 'erased' : 'proved');
    }
  }
  return counts;
}

/** @returns whether a text of the line is marked as erased */
function verifyLine(
  state: PackageState,
  place: string,
  line: RecordLine,
  { entry, hash }: ProvedEntry,
  counts: RecordCounts,
): boolean {
  const { header, subject } = entry;
  if (line.hash !== hash) throw new Fault(place, `the hash is ${line.hash}, the entry of the receipt has ${hash}`);
  if (!isDeepStrictEqual(line.header, header)) throw new Fault(place, 'the header is not that of the entry');
  const names = Object.keys(header.commitments).toSorted();
  if (!isDeepStrictEqual(Object.keys(line.texts).toSorted(), names))
    throw new Fault(place, `the line has the texts ${Object.keys(line.texts)}, the entry commits to ${names}`);
  let erased = false;
  const open = (name: string, text: Text, expected: string | undefined): string | null => {
    if ('erased' in text) {
      erased = true;
      counts.erased += 1;
      return null;
    }
    if (commitment(Buffer.from(text.salt, 'hex'), text.text).toString('hex') !== expected)
      throw new Fault(place, `the text '${name}' is not the one that the entry commits to`);
    counts.opened += 1;
    return text.text;
  };
  const opened = new Map<string, string | null>();
  for (const [name, text] of Object.entries(line.texts)) {
    if ('erased' in text && LASTING[subject.kind]?.includes(name))
      throw new Fault(place, `the text '${name}' is marked as erased, and no erasure removes this text`);
    opened.set(name, open(name, text, header.commitments[name]));
  }
  const record = opened.get('record');
  const repeated = record == null ? {} : fitting(place, ProvedRecord, parsed(place, record, "text 'record'"));
  verifyFiles(state.files, { place, line, stated: repeated.files ?? [] }, open, counts);
  if ((repeated.findings === undefined) !== (line.findings === undefined))
    throw new Fault(place, 'the findings are not those that the record commits to');
  if (line.findings) open('findings', line.findings, repeated.findings);
  return erased;
}

/** Verifies that the files of a line are those that its record commits to, and that each is there. */
function verifyFiles(
  { facts }: ExportFiles,
  { place, line, stated }: { place: string; line: RecordLine; stated: readonly { size: number; commitment: string }[] },
  open: (name: string, text: Text, expected: string | undefined) => string | null,
  { attached }: RecordCounts,
): void {
  const given = line.files ?? [];
  if (given.length !== stated.length)
    throw new Fault(place, `the line has ${given.length} files, the record commits to ${stated.length}`);
  for (const [i, file] of stated.entries()) {
    const text = given[i];
    const sha256 = text && open(`file ${i + 1}`, text, file.commitment);
    if (sha256 == null) continue;
    const path = `data/files/${sha256}`;
    const fact = facts.get(path);
    if (!fact) throw new Fault(path, `the file is missing, and ${place} names it`);
    if (fact.size !== file.size) throw new Fault(path, `the file has ${fact.size} bytes, ${place} says ${file.size}`);
    attached.add(sha256);
  }
}

/** The attachments of a record after the checkpoint are not proved, and may be there. */
function noteFiles({ files = [] }: RecordLine, { attached }: RecordCounts): void {
  for (const file of files) if ('text' in file) attached.add(file.text);
}
