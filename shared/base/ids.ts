import { hash } from 'node:crypto';
import * as z from 'zod';
import { randomBytes } from './random.ts';
import { fromMillis, type Micros } from './time.ts';

/**
 * An id of any record: lower-case hex in groups of 8-4-4-4-8. The first 48 bits are milliseconds since the epoch, so
 * ids sort by time. 64 random bits follow (rules/requests.md#ids).
 */
export type Id = string;

/**
 * One type of id for each kind of record that other records name: a parameter of one kind takes neither another kind nor
 * a plain text. The kinds exist for the compiler alone. A schema reads a stored id and checks only that it is a text,
 * because the service itself wrote it.
 */
export const OrganizationId = z.string().brand<'OrganizationId'>();
export const FlowId = z.string().brand<'FlowId'>();
export const TrailId = z.string().brand<'TrailId'>();
export const EnvironmentId = z.string().brand<'EnvironmentId'>();
export const PolicyId = z.string().brand<'PolicyId'>();
/** The id of a user or of a service account. */
export const PrincipalId = z.string().brand<'PrincipalId'>();
export const AttestationId = z.string().brand<'AttestationId'>();

export type OrganizationId = Id & z.$brand<'OrganizationId'>;
export type FlowId = Id & z.$brand<'FlowId'>;
export type TrailId = Id & z.$brand<'TrailId'>;
export type EnvironmentId = Id & z.$brand<'EnvironmentId'>;
export type PolicyId = Id & z.$brand<'PolicyId'>;
export type PrincipalId = Id & z.$brand<'PrincipalId'>;
export type AttestationId = Id & z.$brand<'AttestationId'>;

/**
 * The SHA-256 of an artifact, as 64 hex digits. The schemas of requests check the digits. This schema reads a stored
 * fingerprint and checks only that it is a text.
 */
export const StoredFingerprint = z.string().brand<'Fingerprint'>();
export type Fingerprint = string & z.$brand<'Fingerprint'>;

/** The stored fingerprint of a running artifact; empty if the reporter could not compute it. */
export const RunningFingerprint: z.core.$ZodType<Fingerprint | '', string> = StoredFingerprint;
export const isKnownFingerprint = (fingerprint: Fingerprint | ''): fingerprint is Fingerprint => fingerprint !== '';

/**
 * Returns whether a text is a complete fingerprint. Other texts are unknown without a read and never become part of a
 * key.
 */
export const isFingerprint = (text: string): text is Fingerprint => /^[a-f0-9]{64}$/.test(text);

/** Reads a fingerprint out of a key that this service wrote. */
export const storedFingerprint = (text: string): Fingerprint => text as Fingerprint;

export const ID_PATTERN = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$/;

/** Whether a text from a request has the form of an id. The request says of which kind: no id shows its own. */
export const isId = <Kind extends Id = Id>(text: string): text is Kind => ID_PATTERN.test(text);

/** Reads an id out of a key or an item that this service wrote: the caller knows which kind it wrote there. */
export const storedId = <Kind extends Id>(text: string): Kind => text as Kind;

/** Makes a new id. The place that receives it decides its kind. */
export function newId<Kind extends Id>(now: Micros, random: (size: number) => Uint8Array = randomBytes): Kind {
  const millis = Math.floor(now / 1000)
    .toString(16)
    .padStart(12, '0');
  return storedId<Kind>(grouped(millis + Buffer.from(random(8)).toString('hex')));
}

/** The last instant that {@link orderedId} was asked for, and how often. */
let latest = { at: -1, count: 0 };

/**
 * Returns an id that sorts by the microsecond, and among ids of one microsecond by the order of the calls in this
 * process. 32 random bits are left.
 */
export function orderedId(now: Micros): Id {
  latest = { at: now, count: latest.at === now ? latest.count + 1 : 0 };
  return newId(now, (size) => {
    const bytes = afterMicrosecond(now, randomBytes(size));
    bytes.writeUInt16BE(latest.count % 0x1_0000, 2);
    return bytes;
  });
}

/**
 * Returns a new id that sorts by the microsecond. 48 random bits are left. Entries of time series have such ids, so that
 * a time window over them is exact (rules/lists.md#time-windows).
 */
export const preciseId = (at: Micros): Id => newId(at, (size) => afterMicrosecond(at, randomBytes(size)));

/** Returns the {@link preciseId} of an instant that always belongs to the same thing. @param digest names the thing, in hex */
export const preciseIdOf = (at: Micros, digest: string): Id =>
  newId(at, (size) => afterMicrosecond(at, Buffer.from(digest, 'hex').subarray(0, size)));

/** Returns the smallest {@link preciseId} of an instant. */
export const firstPreciseIdAt = (at: Micros): Id => newId(at, (size) => afterMicrosecond(at, Buffer.alloc(size)));

/** Writes the microsecond within the millisecond over the first two bytes. */
function afterMicrosecond(at: Micros, bytes: Buffer): Buffer {
  bytes.writeUInt16BE(at % 1000, 0);
  return bytes;
}

/** Returns the smallest id of a millisecond: the lower bound of a time window over ids. */
export const firstIdAt = (at: Micros): Id => newId(at, (size) => Buffer.alloc(size));

/** Returns the instant of an id, with the millisecond precision of ids. */
export const timeOfId = (id: Id): Micros => fromMillis(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** Returns an id that is computed from an instant and a text. The same input gives the same id. */
export const idAt = <Kind extends Id = Id>(at: Micros, text: string): Kind =>
  newId(at, (size) => hash('sha256', text, 'buffer').subarray(0, size));

/** Returns an id that is computed from a digest: the same content has the same id. Templates use it. */
export const idOfDigest = (hexDigest: string): Id => grouped(hexDigest.slice(0, 28));

const grouped = (hex: string): Id =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 28)}`;
