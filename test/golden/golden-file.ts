import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';

/** The form of the folder. Another form gets another number. */
const FORM = 1;
/** The folder below the one of a release. */
export const FOLDER = 'golden';
const DIGESTS = 'sha256.txt';
const ABOUT = 'golden.json';
/** Kinds of records, each in a compressed file with one record per line. */
const PARTS = ['items', 'objects', 'answers'] as const;

/** Those who ask, by the names of their users. */
export const CALLERS = ['admin', 'reader', 'stranger'] as const;
export type Caller = (typeof CALLERS)[number];

const About = z.strictObject({
  form: z.literal(FORM),
  release: z.string(),
  /** Microseconds: the clock of all reads begins here, so that answers that depend on the time stay the same. */
  readAt: z.int(),
  callers: z.record(z.enum(CALLERS), z.string()),
  /** The logs whose checkpoints the service cosigns as a witness. */
  witnessed: z.string(),
});

/** An item in the form of the database. Bytes are base64. */
const StoredItem = z.record(z.string(), z.json());
const StoredObject = z.strictObject({ key: z.string(), encoding: z.string().optional(), bytes: z.base64() });
const Request = z.strictObject({
  operation: z.string(),
  /** Below `/api/v2`, decoded. */
  path: z.string(),
  /** Encoded. */
  query: z.string(),
  caller: z.enum(CALLERS),
});
const Answered = z.strictObject({
  ...Request.shape,
  status: z.int(),
  type: z.string(),
  /** The parsed body, or the text of another body, or the digest of bytes. */
  body: z.json(),
});

export type ReadRequest = z.infer<typeof Request>;
export type GoldenAnswer = z.infer<typeof Answered>;
export type StoredObject = z.infer<typeof StoredObject>;
export type RawItem = Record<string, AttributeValue>;

/** What a release leaves: its table, its bucket, and its answers. */
export interface Golden {
  about: Omit<z.infer<typeof About>, 'form'>;
  items: RawItem[];
  objects: StoredObject[];
  answers: GoldenAnswer[];
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const fileOf = (part: (typeof PARTS)[number]) => `${part}.ndjson.br`;

/** Writes the files of a golden table into a folder, over those of another. @returns the size of the files in bytes */
export function writeGolden(folder: string, { about, items, objects, answers }: Golden): number {
  mkdirSync(folder, { recursive: true });
  const lines = { items: items.map(asText), objects: objects.map(asText), answers: answers.map(asText) };
  const files = new Map<string, Buffer>([
    [ABOUT, Buffer.from(`${JSON.stringify({ form: FORM, ...about }, null, 2)}\n`)],
    ...PARTS.map((part): [string, Buffer] => [fileOf(part), compressed(lines[part].join(''))]),
  ]);
  const digests = [...files].map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`).join('');
  files.set(DIGESTS, Buffer.from(digests));
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}

/**
 * Reads the golden table of a folder.
 *
 * @throws Error if a file is missing or was changed, or if the folder has a form that this code does not read
 */
export function readGolden(folder: string): Golden {
  const digests = new Map(
    fileText(folder, DIGESTS)
      .split('\n')
      .filter((line) => line !== '')
      .map((line): [string, string] => [line.slice(66), line.slice(0, 64)]),
  );
  const checked = (name: string): Buffer => {
    const bytes = fileBytes(folder, name);
    if (sha256(bytes) === digests.get(name)) return bytes;
    throw new Error(
      `${join(folder, name)} differs from its digest in ${DIGESTS}. Restore both from the history of git`,
    );
  };
  const json: unknown = JSON.parse(checked(ABOUT).toString());
  const { form } = z.looseObject({ form: z.json() }).parse(json);
  if (form !== FORM) {
    throw new Error(`${join(folder, ABOUT)} has form ${JSON.stringify(form)}. This code reads form ${FORM} only`);
  }
  const linesOf = (part: (typeof PARTS)[number]): unknown[] =>
    brotliDecompressSync(checked(fileOf(part)))
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  const { form: _, ...about } = About.parse(json);
  return {
    about,
    items: linesOf('items').map((line) => fromText(StoredItem.parse(line)) as RawItem),
    objects: linesOf('objects').map((line) => StoredObject.parse(line)),
    answers: linesOf('answers').map((line) => Answered.parse(line)),
  };
}

/** Returns the folders of the golden tables of all releases below a folder, the oldest release first. */
export function goldenFolders(releases: string): string[] {
  if (!existsSync(releases)) return [];
  const versions = readdirSync(releases).filter((name) => existsSync(join(releases, name, FOLDER)));
  return versions
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((version) => join(releases, version, FOLDER));
}

const fileText = (folder: string, name: string): string => fileBytes(folder, name).toString();

function fileBytes(folder: string, name: string): Buffer {
  const file = join(folder, name);
  if (!existsSync(file)) throw new Error(`${folder} is no golden table: ${name} is missing`);
  return readFileSync(file);
}

/** The window holds everything, so that records that repeat each other take no room. */
const compressed = (text: string): Buffer =>
  brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });

const asText = (record: unknown): string => `${JSON.stringify(record, base64OfBytes)}\n`;

/** `JSON.stringify` hands typed arrays to this function as they are, but not buffers. The database gives none. */
const base64OfBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

/** Returns a value of the database with the bytes of its base64. Only `B` and `BS` hold bytes. */
function fromText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, attribute(name, inner)]));
}

function attribute(name: string, inner: unknown): unknown {
  if (name === 'B' && typeof inner === 'string') return Buffer.from(inner, 'base64');
  if (name === 'BS' && Array.isArray(inner)) return inner.map((one) => Buffer.from(String(one), 'base64'));
  return fromText(inner);
}
