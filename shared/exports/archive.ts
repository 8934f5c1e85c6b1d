import { createSHA256, type IHasher } from 'hash-wasm';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { type Line, lineText } from './record-lines.ts';
import type { ExportProgress } from './records/exports.ts';
import { tarEntry, tarHeader, tarPadding } from './rules/tar.ts';

/** Size of a part of the multipart upload. The bucket takes 10,000 parts, so an archive has at most 80 GiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** A file of records is written as soon as its lines have this many characters. */
const PIECE_LENGTH = 1024 * 1024;

/** The collected file with the envelopes of all statements (rules/exports.md#statements-of-an-export). */
export const ENVELOPES = 'envelopes';

type Counts = Pick<ExportProgress, 'parts' | 'bytes' | 'files' | 'payload' | 'manifest' | 'pieces' | 'hash'>;

interface ArchiveOptions {
  folder: string;
  /** Time of all files, in milliseconds. */
  mtime: number;
  /** Bytes that earlier steps made and did not upload. */
  rest: Buffer;
  /** Uploads one part. @returns its entity tag */
  putPart: (number: number, bytes: Uint8Array) => Promise<string>;
}

/**
 * The part of an archive that one step makes (rules/exports.md#steps). Bytes are uploaded as soon as they fill a part.
 * What is left at the end of the step is kept for the next one.
 */
export class Archive {
  readonly #options: ArchiveOptions;
  /** The part that is being filled, and how many of its bytes are. One buffer serves all parts, to save memory. */
  readonly #part = Buffer.allocUnsafe(PART_BYTES);
  #length: number;
  readonly #lines = new Map<string, { texts: string[]; length: number }>();
  /** Counts of the whole archive, including earlier steps. */
  readonly counts: Counts;
  /** Lines of the manifest for the files of this step. */
  readonly manifest: string[] = [];
  /** Entity tags of the parts of this step. */
  readonly tags: string[] = [];

  constructor(counts: Counts, options: ArchiveOptions) {
    this.counts = { ...counts, pieces: { ...counts.pieces } };
    this.#options = options;
    this.#length = options.rest.copy(this.#part);
  }

  /** Adds a file. Files below `data/` get a line of the manifest. @param path below the folder of the archive */
  async addFile(path: string, bytes: Buffer): Promise<void> {
    const { folder, mtime } = this.#options;
    if (path.startsWith('data/')) {
      const line = `${sha256Hex(bytes)}  ${path}\n`;
      this.manifest.push(line);
      this.counts.manifest += line.length;
      this.counts.files += 1;
      this.counts.payload += bytes.length;
    }
    await this.addBytes(await tarEntry(`${folder}/${path}`, bytes, mtime));
  }

  /** Begins a file of which the content comes with {@link addBytes}; {@link endFile} ends it. */
  async beginFile(path: string, size: number): Promise<void> {
    const { folder, mtime } = this.#options;
    await this.addBytes(await tarHeader(`${folder}/${path}`, size, mtime));
  }

  endFile(size: number): Promise<void> {
    return this.addBytes(tarPadding(size));
  }

  /** Adds a record. Records of one family are collected to files of about a megabyte. */
  addLine(line: Line): Promise<void> {
    return this.addText(line.file, lineText(line));
  }

  /** Adds a text to a collected file. @param file its name without its number */
  async addText(file: string, text: string): Promise<void> {
    const collected = this.#lines.get(file) ?? { texts: [], length: 0 };
    collected.texts.push(text);
    collected.length += text.length;
    this.#lines.set(file, collected);
    if (collected.length >= PIECE_LENGTH) await this.#writePiece(file);
  }

  async writePieces(): Promise<void> {
    for (const file of this.#lines.keys()) await this.#writePiece(file);
  }

  async #writePiece(file: string): Promise<void> {
    const texts = this.#lines.get(file)?.texts ?? [];
    this.#lines.delete(file);
    const number = (this.counts.pieces[file] ?? 0) + 1;
    this.counts.pieces[file] = number;
    await this.addFile(piecePath(file, number), Buffer.from(texts.join('')));
  }

  /** Adds bytes, and uploads every full part. */
  async addBytes(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; ) {
      const copied = bytes.copy(this.#part, this.#length, start);
      start += copied;
      this.#length += copied;
      if (this.#length === PART_BYTES) await this.uploadPart();
    }
  }

  /** The bytes that were not uploaded. They are less than a part. */
  get rest(): Buffer {
    return this.#part.subarray(0, this.#length);
  }

  /** Uploads what is left, as a part that may be smaller than others only if it is the last one. */
  async uploadPart(): Promise<void> {
    const bytes = this.rest;
    const number = this.counts.parts + 1;
    this.tags.push(await this.#options.putPart(number, bytes));
    const hash = await continuedSha256(this.counts.hash);
    this.counts.hash = hash.update(bytes).save();
    this.counts.parts = number;
    this.counts.bytes += bytes.length;
    this.#length = 0;
  }
}

/** The path of a collected file. Only the first file of envelopes has no number, because readers look for its name. */
function piecePath(file: string, number: number): string {
  const padded = String(number).padStart(4, '0');
  if (file !== ENVELOPES) return `data/records/${file}-${padded}.ndjson`;
  return `data/statements/all${number === 1 ? '' : `-${padded}`}.intoto.jsonl`;
}

/** Returns a SHA-256 that can be stored and continued by a later step. Node's own cannot. @param state null: a new one */
export async function continuedSha256(state: Uint8Array | null): Promise<IHasher> {
  const hash = await createSHA256();
  return state ? hash.load(state) : hash;
}

export async function digestOf(hash: Uint8Array): Promise<string> {
  return (await createSHA256()).load(hash).digest();
}
