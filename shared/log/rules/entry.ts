import * as z from 'zod';
import {
  EnvironmentId,
  FlowId,
  type Id,
  type OrganizationId,
  OrganizationId as OrganizationIdSchema,
  TrailId,
} from '#shared/base/ids.ts';
import { CHAIN_DOMAINS, CHAIN_VERSION, type ChainDomain, canonicalJson } from '#shared/base/proofs/hash-chain.ts';

/** Entries of an organization's log (rules/log.md#entries). */

/** The link of a trail or an environment, of an entry of the audit log or of an evaluation. */
export interface LinkEntry {
  kind: 'link';
  org: OrganizationId;
  domain: ChainDomain;
  /** Hash of the previous link; 32 zero bytes for the first. */
  previous: Buffer;
  header: z.infer<typeof Header>;
  subject: Exclude<Subject, { kind: 'statement' }>;
}

/** The record of a signed statement. It is the JSON of a `hashedrekord`, so it begins with `{`. */
interface StatementEntry {
  kind: 'statement';
  subject: Subject & { kind: 'statement' };
}

export type LogEntry = LinkEntry | StatementEntry;

/** What an entry is about. The log has one entry for each subject. */
export type Subject =
  | { kind: 'trail'; flow: FlowId; trail: TrailId; number: number }
  | { kind: 'environment'; environment: EnvironmentId; number: number }
  | { kind: 'audit'; entry: Id }
  | { kind: 'evaluation'; evaluation: Id }
  /** The SHA-256 that the statement was signed over, in hex. */
  | { kind: 'statement'; digest: string };

export type NumberedSubject = Extract<Subject, { number: number }>;

export class MalformedEntry extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`The bytes are not an entry of the log: ${reason}`, { cause });
    this.name = 'MalformedEntry';
  }
}

const HASH_BYTES = 32;

const Header = z.strictObject({
  org: OrganizationIdSchema,
  subject: z.record(z.string(), z.string()),
  number: z.int().min(0),
  kind: z.string(),
  at: z.int().brand<'Micros'>(),
  record: z.string().optional(),
  commitments: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});

const SUBJECTS = {
  'delivery-evidence/trail': z.strictObject({ flow: FlowId, trail: TrailId }),
  'delivery-evidence/environment': z.strictObject({ environment: EnvironmentId }),
  'delivery-evidence/audit': z.strictObject({ entry: z.string() }),
  'delivery-evidence/evaluation': z.strictObject({ evaluation: z.string() }),
} as const satisfies Record<ChainDomain, z.ZodType>;

const Statement = z.looseObject({
  kind: z.literal('hashedrekord'),
  spec: z.looseObject({
    hashedRekordV002: z.looseObject({ data: z.looseObject({ digest: z.base64() }) }),
  }),
});

/**
 * Reads an entry from its bytes.
 *
 * @throws MalformedEntry unless the bytes are exactly those that this service makes for an entry
 */
export function parseEntry(bytes: Uint8Array): LogEntry {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer[0] === '{'.charCodeAt(0) ? parseStatement(buffer) : parseLink(buffer);
}

function parseLink(bytes: Buffer): LinkEntry {
  const end = bytes.indexOf(0);
  const domain = CHAIN_DOMAINS.find((known) => known === bytes.toString('utf8', 0, Math.max(0, end)));
  if (!domain) throw new MalformedEntry('it begins with no known domain');
  if (bytes[end + 1] !== CHAIN_VERSION) throw new MalformedEntry(`its version is not ${CHAIN_VERSION}`);
  const start = end + 2 + HASH_BYTES;
  const header = parseCanonical(bytes.subarray(start), Header);
  return {
    kind: 'link',
    org: header.org,
    domain,
    previous: bytes.subarray(end + 2, start),
    header,
    subject: subjectOfLink(domain, header),
  };
}

function subjectOfLink(domain: ChainDomain, { subject, number }: LinkEntry['header']): LinkEntry['subject'] {
  if (domain === 'delivery-evidence/audit') return { kind: 'audit', ...parsed(SUBJECTS[domain], subject) };
  if (domain === 'delivery-evidence/evaluation') return { kind: 'evaluation', ...parsed(SUBJECTS[domain], subject) };
  if (number < 1) throw new MalformedEntry('its number is below 1');
  return domain === 'delivery-evidence/trail'
    ? { kind: 'trail', ...parsed(SUBJECTS[domain], subject), number }
    : { kind: 'environment', ...parsed(SUBJECTS[domain], subject), number };
}

function parseStatement(bytes: Buffer): StatementEntry {
  const { spec } = parseCanonical(bytes, Statement);
  const digest = Buffer.from(spec.hashedRekordV002.data.digest, 'base64').toString('hex');
  return { kind: 'statement', subject: { kind: 'statement', digest } };
}

/** Reads canonical JSON. Any other text of the same value would be another entry for the same subject. */
function parseCanonical<T>(bytes: Buffer, schema: z.ZodType<T>): T {
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new MalformedEntry('its JSON cannot be read', error);
  }
  if (!Buffer.from(canonicalJson(value)).equals(bytes)) throw new MalformedEntry('its JSON is not canonical');
  return parsed(schema, value);
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value);
  if (!read.success) throw new MalformedEntry('its JSON has another form', read.error);
  return read.data;
}
