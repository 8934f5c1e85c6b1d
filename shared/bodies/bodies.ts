import { hash } from 'node:crypto';
import { constants, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type Memory, memoryOf } from '#shared/base/memory.ts';
import { isSameDigest, RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { randomBytes } from '#shared/base/random.ts';
import { again } from '#shared/base/retry.ts';
import { readEach } from '#shared/table/read-each.ts';
import { keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { Erasure } from './erasure.ts';
import { bodyKey, bodyUseKey } from './keys.ts';
import type { Objects } from './objects.ts';

/**
 * Bodies up to this many stored bytes lie in their item, because items are paid by size. Larger bodies lie in the
 * bucket (rules/storage.md#inline-or-bucket).
 */
export const INLINE_LIMIT = 4096;

/**
 * Limit of bodies that lists show whole: descriptions of environments, texts of policies. In the bucket, each of them
 * would cost a list a call of its own (rules/storage.md#inline-or-bucket).
 */
export const LISTED_LIMIT = 65_536;

/** Texts larger than this many times the limit go to the bucket without trying compression first. */
const BEST_COMPRESSION = 8;

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/**
 * The pointer to a body in the item of its owner: algorithm, digest, salt, size in bytes and place. `data` is the body
 * if it is inline; `enc` names its encoding (rules/storage.md#body-pointer).
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
  /**
   * The commitment to the text. It is stored for a body in the bucket, because that of an inline body is computed. The
   * reader of a record puts in the one that the record commits to.
   */
  pledge: Bytes.optional(),
  /** Present if the body was erased by a command. */
  erased: Erasure.optional(),
});
export type StoredBody = z.infer<typeof StoredBody>;

export const sha256 = (content: string | Uint8Array): Buffer => hash('sha256', content, 'buffer');
export const sha256Hex = (content: string | Uint8Array): string => hash('sha256', content);

/**
 * A prepared body: the attribute for the item of its owner, the further writes of the transaction, and the upload
 * before it.
 */
export interface PreparedBody {
  body: StoredBody;
  commitment: Buffer;
  writes: Write[];
  /** Uploads a large body to the bucket, before the transaction. Repeating it is harmless. */
  upload(): Promise<void>;
}

const nothing = async () => {};

/**
 * Prepares a text for storage.
 * @param text is returned unchanged by {@link readBody}
 * @param user id of the record that uses the body; an erasure needs it
 * @param limit most stored bytes of a body that lies in its item
 */
export function prepareBody(
  objects: Objects,
  org: OrganizationId,
  text: string,
  user: string,
  { limit = INLINE_LIMIT, random = randomBytes }: { limit?: number; random?: (size: number) => Uint8Array } = {},
): PreparedBody {
  const bytes = Buffer.from(text, 'utf8');
  const digest = sha256(bytes);
  const salt = random(32);
  const common = { alg: 'sha256' as const, digest, salt, size: bytes.length };
  const pledge = commitment(salt, bytes);
  const small = bytes.length <= BEST_COMPRESSION * limit ? pack(bytes) : undefined;
  if (small && small.data.length <= limit) {
    return { body: { ...common, store: 'inline', ...small }, commitment: pledge, writes: [], upload: nothing };
  }
  const body: StoredBody = { ...common, store: 's3', enc: 'gzip', version: null, pledge };
  return {
    body,
    commitment: pledge,
    writes: [{ put: { ...bodyUseKey(org, digest.toString('hex'), user), v: 1 } }],
    async upload() {
      body.version = await objects.putBody(org, digest.toString('hex'), gzipSync(bytes));
    },
  };
}

/** Texts up to this many bytes are stored without compression, which would save little and cost readers time. */
const UNPACKED = 256;

function pack(bytes: Buffer): { enc: 'none' | 'deflate'; data: Uint8Array } {
  if (bytes.length <= UNPACKED) return { enc: 'none', data: bytes };
  const packed = deflateRawSync(bytes);
  return packed.length < bytes.length ? { enc: 'deflate', data: packed } : { enc: 'none', data: bytes };
}

/**
 * Returns the key under which {@link Memory} remembers the parsed value of a body. The digest is the SHA-256 of the
 * text, as bytes or in hex.
 */
export const digestKey = (org: OrganizationId, digest: Uint8Array | string): string =>
  `${org}#${typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex')}`;

/**
 * Reads the text of a body; null if it was erased.
 * @throws RecordDiffers if the text is not the one that the record of the body commits to
 */
export async function readBody(objects: Objects, org: OrganizationId, body: StoredBody): Promise<string | null> {
  if (body.store === 'erased') return null;
  const text = body.store === 'inline' ? inlineText(body) : await storedText(objects, org, body);
  if (body.pledge && !isSameDigest(commitment(body.salt, text), body.pledge))
    throw new RecordDiffers('text of a record', 'it does not fit its commitment');
  return text;
}

async function storedText(objects: Objects, org: OrganizationId, body: StoredBody): Promise<string> {
  const bytes = gunzipSync(await objects.getBody(org, Buffer.from(body.digest).toString('hex'), body.version ?? null));
  return bytes.toString('utf8');
}

/**
 * Reads and parses a body, unless its value is remembered. For large bodies, whose read from the bucket is a further
 * round trip.
 * @param made parses the text; equal texts must give equal values
 * @returns null if the body was erased, even if its value is still remembered
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

/**
 * Returns the commitment to a body without reading the bucket.
 *
 * @throws Error if the body was erased
 */
export function bodyCommitment(body: StoredBody): Uint8Array {
  if (body.store === 'inline') return commitment(body.salt, inlineText(body));
  if (!body.pledge) throw new Error('A body without its commitment');
  return body.pledge;
}

/** Returns the text of a body that lies in the item of its owner. */
export function inlineText(body: StoredBody): string {
  if (!body.data) throw new Error('An inline body without data');
  const { buffer, byteOffset, length } = body.enc === 'deflate' ? inflated(body.data, body.size) : body.data;
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

/** The length is known, so one buffer takes all pieces. */
const inflated = (data: Uint8Array, size: number): Buffer =>
  inflateRawSync(data, { chunkSize: Math.max(constants.Z_MIN_CHUNK, size + 1) });

/** The item of a shared body. */
export const SharedBody = z.object({ body: StoredBody });

/** Digests of shared bodies that are stored. A shared body is never removed, so what is remembered stays true. */
const stored = memoryOf<'stored'>('shared body');

/**
 * A body that many records name by its digest and that is never deleted: the text of a template
 * (rules/storage.md#shared-bodies).
 */
interface SharedBodyWrites {
  /** SHA-256 of the text, in hex. */
  digest: string;
  /** The outcome is `again` if another writer has just stored the same text: prepare the body again. */
  writes: Write<'again'>[];
  upload(): Promise<void>;
}

/**
 * Prepares a text for storage under its digest. If the text is stored already, only its use is written: an item that
 * every writer of the organization updates would make their transactions conflict.
 */
export async function prepareSharedBody(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  text: string,
  user: string,
): Promise<SharedBodyWrites> {
  const digest = sha256Hex(text);
  const use: Write<'again'> = { put: { ...bodyUseKey(org, digest, user), v: 1 } };
  const known = digestKey(org, digest);
  if (!stored.get(known) && (await table.get(bodyKey(org, digest)))) stored.set(known, 'stored');
  if (stored.get(known)) return { digest, writes: [use], upload: nothing };
  const { body, upload } = prepareBody(objects, org, text, user);
  return { digest, upload, writes: [putIfAbsent({ ...bodyKey(org, digest), v: 1, body }, again), use] };
}

/** Reads the texts of digests: their items in one batch, then long texts from the bucket. */
export async function readSharedBodies(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  digests: readonly string[],
): Promise<Map<string, string>> {
  const items = await table.getMany(digests.map((digest) => bodyKey(org, digest)));
  const texts = await readEach(digests, async (digest) => {
    const item = items.get(keyText(bodyKey(org, digest)));
    if (!item) throw new Error(`No body is kept under ${digest}`);
    const text = await readBody(objects, org, SharedBody.parse(item).body);
    if (text === null) throw new Error(`The body ${digest} was erased`);
    if (sha256Hex(text) !== digest) throw new Error(`The body ${digest} has a text with another digest`);
    return [digest, text] as const;
  });
  return new Map(texts);
}
