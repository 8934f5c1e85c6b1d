import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { parseEntry, type Subject } from '#shared/log/rules/entry.ts';
import { logTiles } from '#shared/log/tiles.ts';
import { formatProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import type { ExportedFile } from '../context.ts';
import type { Line } from '../record-lines.ts';
import { rememberingTiles } from '../statement-section.ts';
import type { PackageContext } from './package-plan.ts';

/** A text under a commitment of an entry, or of a record of the entry. Salt and text are null if it was erased. */
interface PackagedText {
  name: string;
  salt: Uint8Array | null;
  text: string | null;
  erased?: Erasure | undefined;
}

/** A record with the entry that proves it. */
export interface PackagedRecord {
  /** Name of the file without its number. */
  file: string;
  item: string;
  subject: Subject;
  entry: Buffer;
  texts: readonly PackagedText[];
  /** Further members of the line. */
  more?: Readonly<Record<string, unknown>>;
}

/**
 * Makes the lines of records and the receipts that prove them (rules/exports.md#records-of-a-package). A record that the checkpoint does
 * not cover has no receipt and no `log_index`.
 */
export async function packagedRecords(
  context: PackageContext,
  records: readonly PackagedRecord[],
): Promise<{ lines: Line[]; files: ExportedFile[] }> {
  const { org, log } = context;
  const indexes = await context.logIndexes(records.map(({ subject }) => subject));
  const readTile = rememberingTiles(logTiles(context, org, log.size).hashes);
  const receipts = await Promise.all(
    records.map(async ({ entry }, i): Promise<ExportedFile[]> => {
      const index = indexes[i];
      if (index == null) return [];
      const hashes = await inclusionProof(index, { size: log.size, readTile });
      const proof = formatProofFile({ index, hashes, extra: entry, checkpoint: log.checkpoint });
      return [{ path: `data/receipts/${index}.tlog-proof`, bytes: Buffer.from(proof) }];
    }),
  );
  return { lines: records.map((record, i) => lineOf(record, indexes[i])), files: receipts.flat() };
}

function lineOf({ file, item, entry, texts, more }: PackagedRecord, index: number | null | undefined): Line {
  const parsed = parseEntry(entry);
  if (parsed.kind !== 'link') throw new Error('The record of a statement is no line of a package');
  return {
    file,
    record: {
      item,
      hash: entryHash(entry),
      header: parsed.header,
      texts: Object.fromEntries(texts.map((text) => [text.name, shownText(text)])),
      ...more,
      ...(index != null && { log_index: index }),
    },
  };
}

export const shownText = ({ salt, text, erased }: Omit<PackagedText, 'name'>): Record<string, unknown> =>
  salt === null || text === null
    ? { erased: erased ? { at: erased.at, reason: erased.reason } : true }
    : { salt, text };
