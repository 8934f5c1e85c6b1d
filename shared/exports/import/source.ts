import type { Checkpoint } from '#shared/tlog/checkpoint.ts';

/** A line of a file of records: `item` says what the record is (rules/exports.md#records). */
export type ImportLine = Readonly<Record<string, unknown>>;

/** An export that the verifier has accepted, as an import reads it. */
export interface ImportSource {
  /** SHA-256 of the manifest, in hex. It stands for every file of the export. */
  readonly digest: string;
  readonly checkpoint: Checkpoint;
  /** Yields the lines of a family in their order. */
  lines(family: string): AsyncIterable<ImportLine>;
  /** Returns the names of the families that have files. */
  families(): readonly string[];
  /** Returns the SHA-256 of each attachment, in hex. */
  attachments(): readonly string[];
  /** Reads a file by its path below the folder of the export. */
  read(path: string): Promise<Buffer>;
}
