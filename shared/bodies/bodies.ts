import { hash } from 'node:crypto';
import { constants, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Memory } from '#shared/base/memory.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { bodyKey, bodyUseKey } from './keys.ts';
import type { Objects } from './objects.ts';

/** Bodies up to this many stored bytes lie inside their item, larger ones in the bucket: items are paid by their size. */
export const INLINE_LIMIT = 4096;

/** Larger texts go to the bucket unlooked at: snapshots, which shrink most of all, come down to about an eighth. */
const MAY_FIT = 8 * INLINE_LIMIT;

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/**
 * A body as its owner's item holds it: algorithm, digest, salt, size in bytes and where it lies.
 * `data` is there when it lies inline; `enc` says how it is packed.
 */
export const StoredBody = z.object({
  alg: z.literal('sha256'),
  digest: Bytes,
  salt: Bytes,
  size: z.number(),
  store: z.enum(['inline', 's3', 'erased']),
  enc: z.enum(['none', 'deflate', 'gzip']),
  data: Bytes.optional(),
  version: z.string().nullish(),
  key: z.string().nullish(),
});
export type StoredBody = z.infer<typeof StoredBody>;

export const sha256 = (content: string | Uint8Array): Buffer => hash('sha256', content, 'buffer');
export const sha256Hex = (content: string | Uint8Array): string => hash('sha256', content);

/** A body made ready: the attribute for its owner's item, what else the transaction must write, and the upload before it. */
export interface PreparedBody {
  body: StoredBody;
  commitment: Buffer;
  writes: Write[];
  /** Puts what is too large for the table into the bucket; harmless to repeat; before the transaction. */
  upload(): Promise<void>;
}

const nothing = async () => {};

/**
 * @param text what must come back to the letter
 * @param user id of the record that uses the body: an erasure asks for these
 */
export function prepareBody(
  objects: Objects,
  org: OrganizationId,
  text: string,
  user: string,
  random: (size: number) => Uint8Array = randomBytes,
): PreparedBody {
  const bytes = Buffer.from(text, 'utf8');
  const digest = sha256(bytes);
  const salt = random(32);
  const common = { alg: 'sha256' as const, digest, salt, size: bytes.length };
  const pledge = commitment(salt, bytes);
  const small = bytes.length <= MAY_FIT ? pack(bytes) : undefined;
  if (small && small.data.length <= INLINE_LIMIT) {
    return { body: { ...common, store: 'inline', ...small }, commitment: pledge, writes: [], upload: nothing };
  }
  const body: StoredBody = { ...common, store: 's3', enc: 'gzip', version: null };
  return {
    body,
    commitment: pledge,
    writes: [{ put: { ...bodyUseKey(org, digest.toString('hex'), user), v: 1 } }],
    async upload() {
      body.version = await objects.putBody(org, digest.toString('hex'), gzipSync(bytes));
    },
  };
}

/** Up to this many bytes a text lies as it is: packing would save a fraction of a unit, and cost every reader time. */
const UNPACKED = 256;

function pack(bytes: Buffer): { enc: 'none' | 'deflate'; data: Uint8Array } {
  if (bytes.length <= UNPACKED) return { enc: 'none', data: bytes };
  const packed = deflateRawSync(bytes);
  return packed.length < bytes.length ? { enc: 'deflate', data: packed } : { enc: 'none', data: bytes };
}

/** The key of what was made of a body in {@link Memory}. The digest is the SHA-256 of the text, as bytes or in hex. */
export const digestKey = (org: OrganizationId, digest: Uint8Array | string): string =>
  `${org}#${typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex')}`;

/** The text of a body; null when it was erased. */
export async function readBody(objects: Objects, org: OrganizationId, body: StoredBody): Promise<string | null> {
  if (body.store === 'erased') return null;
  if (body.store === 'inline') return unpackInline(body);
  const bytes = gunzipSync(await objects.getBody(org, Buffer.from(body.digest).toString('hex'), body.version ?? null));
  return bytes.toString('utf8');
}

/**
 * Reads a body and parses it, unless the parsed value is remembered. For bodies that are large: reading them from the
 * bucket is a further trip.
 * @param made parses the text; the same text must give the same value
 * @returns null when the body was erased, even if its value is still remembered
 */
export async function readBodyOnce<V extends object>(
  memory: Memory<V>,
  objects: Objects,
  org: OrganizationId,
  body: StoredBody,
  made: (text: string) => V,
): Promise<V | null> {
  const key = body.store === 'erased' || body.enc === 'none' ? null : digestKey(org, body.digest);
  const known = key === null ? undefined : memory.get(key);
  if (known !== undefined) return known;
  const text = await readBody(objects, org, body);
  if (text === null) return null;
  const value = made(text);
  if (key !== null) memory.set(key, value, body.size);
  return value;
}

function unpackInline(body: StoredBody): string {
  if (!body.data) throw new Error('An inline body without data');
  const { buffer, byteOffset, length } = body.enc === 'deflate' ? inflated(body.data, body.size) : body.data;
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

/** The length is known: one buffer for all of it, instead of pieces that are joined. */
const inflated = (data: Uint8Array, size: number): Buffer =>
  inflateRawSync(data, { chunkSize: Math.max(constants.Z_MIN_CHUNK, size + 1) });

const SharedBody = z.object({ body: StoredBody });

/** A body that many records name by its digest and that is kept for ever: templates, schemas. */
export interface SharedBodyWrites {
  /** Hex SHA-256 of the text. */
  digest: string;
  writes: Write[];
  upload(): Promise<void>;
}

/** Keeps a text under its digest. Whoever comes second finds it there and adds only its use. */
export function prepareSharedBody(objects: Objects, org: OrganizationId, text: string, user: string): SharedBodyWrites {
  const { body, upload } = prepareBody(objects, org, text, user);
  const digest = Buffer.from(body.digest).toString('hex');
  return {
    digest,
    upload,
    // The same text again is no refusal: an update that only fills what is absent keeps the first salt and place.
    writes: [
      {
        update: bodyKey(org, digest),
        UpdateExpression: 'SET #v = :v, #body = if_not_exists(#body, :body)',
        ExpressionAttributeNames: { '#v': 'v', '#body': 'body' },
        ExpressionAttributeValues: { ':v': 1, ':body': body },
      },
      { put: { ...bodyUseKey(org, digest, user), v: 1 } },
    ],
  };
}

/** The text kept under a digest. */
export async function readSharedBody(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digest: string,
): Promise<string> {
  const item = await table.get(bodyKey(org, digest));
  if (!item) throw new Error(`No body is kept under ${digest}`);
  const { body } = SharedBody.parse(item);
  const text = await readBody(objects, org, body);
  if (text === null) throw new Error(`The body ${digest} was erased`);
  return text;
}
