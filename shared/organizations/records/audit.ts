import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import { type Id, type OrganizationId, orderedId } from '#shared/base/ids.ts';
import { Cover, Removed } from '#shared/base/proofs/covers.ts';
import { entryHash, FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { Micros } from '#shared/base/time.ts';
import { shortenText } from '#shared/base/well-formed.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Caller } from '#shared/callers/caller.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type Item, putIfAbsent, type Write, withRequest } from '#shared/table/table.ts';
import type { AuditKind } from '../rules/audit-kinds.ts';
import { entryText, valuesText } from '../rules/audit-text.ts';
import { PrincipalKind } from './directory-records.ts';
import { auditKey } from './keys.ts';

/**
 * The audit log (rules/organizations.md#audit-log): who changed what, when and with which key. Evidence is not logged, it
 * has its own history. The transaction of a change writes the entry, so neither exists without the other. No code changes
 * or removes an entry, except the erasure of its texts (rules/erasure.md#erased-audit-entry).
 */

/**
 * The caller who made a change. IAM authenticates operators; they have no API key. Nobody knows who sent a refused token. The
 * service itself notices that something did not come.
 */
export const AuditActor = z.object({
  kind: z.enum([...PrincipalKind.options, 'operator', 'unknown', 'service']),
  id: z.string(),
  name: z.string(),
  keyId: z.string().nullable(),
  /** What an issuer proved about the caller (rules/identities.md#evidence-says-who). */
  identity: VerifiedIdentity.optional(),
});
export type AuditActor = z.infer<typeof AuditActor>;

/** The changed resource. `id` is null if the resource has only a name or a number. */
const AuditSubject = z.object({ type: z.string(), id: z.string().nullable(), name: z.string() });

/** Some fields of the subject, before or after the change. */
export type AuditFacts = Record<string, unknown>;

type Json = z.infer<ReturnType<typeof z.json>>;
/** The values come from JSON.parse, so they need no further validation. A schema of a record would lose the name `__proto__`. */
const Facts = z.custom<Record<string, Json>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
/** Stored as JSON text: callers choose some of the names, and DynamoDB does not accept every name as an attribute. */
const FactsText = z.string().transform((text) => Facts.parse(JSON.parse(text)));

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const Stored = z.object({
  v: z.literal(1),
  id: z.string(),
  at: z.int().brand<'Micros'>(),
  actor: AuditActor,
  kind: z.string(),
  subject: AuditSubject,
  before: FactsText.nullable(),
  after: FactsText.nullable(),
  /** What the change left behind of records that exports show. */
  covers: z.array(Cover).optional(),
  /** The texts that an erasure removed. */
  removed: Removed.optional(),
  /** 32 random bytes for each commitment. That of the values is removed together with the values. */
  salts: z.object({ entry: Bytes, values: Bytes.optional() }),
  /** The commitments (rules/organizations.md#entry-of-the-log). */
  pledges: z.object({ entry: Bytes, values: Bytes }),
  erased: Erasure.optional(),
});

/** An entry of the audit log. Reading it fails if its texts are not those under its commitments. */
export const AuditRecord = Stored.superRefine((record, context) => {
  const name = wrongCommitment(record);
  if (name) context.addIssue(`The audit entry ${record.id} does not have the text under its commitment '${name}'`);
});
export type AuditRecord = z.infer<typeof AuditRecord>;

const isUnder = (pledge: Uint8Array, salt: Uint8Array, text: string): boolean => commitment(salt, text).equals(pledge);

/** @returns the name of the first commitment that the record does not open; undefined if everything fits */
function wrongCommitment(record: z.infer<typeof Stored>): 'entry' | 'values' | undefined {
  const { salts, pledges, before, after, erased } = record;
  if (!isUnder(pledges.entry, salts.entry, entryText(record))) return 'entry';
  const hasValues = salts.values
    ? isUnder(pledges.values, salts.values, valuesText(record))
    : erased !== undefined && before === null && after === null;
  return hasValues ? undefined : 'values';
}

const DOMAIN = 'delivery-evidence/audit';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Returns the bytes of an audit entry that are a leaf of the organization's log (rules/organizations.md#entry-of-the-log). */
export const auditEntry = (org: OrganizationId, { id, kind, at, pledges }: AuditRecord): Buffer =>
  linkEntry(DOMAIN, FIRST_PREVIOUS, {
    org,
    subject: { entry: id },
    number: 0,
    kind,
    at,
    commitments: { entry: hex(pledges.entry), values: hex(pledges.values) },
  });

/** Returns the SHA-256 of {@link auditEntry} in hex. */
export const auditHash = (org: OrganizationId, record: AuditRecord): string => hex(entryHash(auditEntry(org, record)));

/** A change as a use case describes it. The author adds the actor and the time. */
export interface AuditedChange {
  kind: AuditKind;
  subject: { type: string; id?: Id | undefined; name: string };
  /** The changed fields before the change. Absent if the subject is new. */
  before?: AuditFacts;
  /** The changed fields after the change. Absent if the subject was removed. Never contains a secret. */
  after?: AuditFacts;
  /** What the change leaves behind of records that exports show (rules/organizations.md#covers). */
  covers?: readonly Cover[];
  /** The texts that an erasure removes. */
  removed?: Removed;
}

/** Actor and time of a change. */
export interface AuditStamp {
  at: Micros;
  actor: AuditActor;
}

export const OPERATOR: AuditActor = { kind: 'operator', id: 'operator', name: 'operator', keyId: null };

export const SERVICE: AuditActor = { kind: 'service', id: 'service', name: 'service', keyId: null };

export const UNKNOWN_ACTOR: AuditActor = { kind: 'unknown', id: 'unknown', name: 'unknown', keyId: null };

/** @param at time of the change in microseconds; the log is sorted by it */
export const stampOf = ({ kind, id, name, keyId, identity }: Caller, at: Micros): AuditStamp => ({
  at,
  actor: { kind, id, name, keyId, ...(identity && { identity }) },
});

/**
 * Returns the write of an audit entry, for the transaction of the change. An endpoint that uses it declares writes of
 * `AUDIT`.
 *
 * @example auditOf(request, { kind: 'flow.archived', subject: { type: 'flow', id, name } })
 */
export const auditOf = ({ org, caller, receivedAt }: Auditing, change: AuditedChange): Write =>
  auditWrite(org.id, stampOf(caller, receivedAt), change);

/** Who changes something, and when: the part of an author that an audit entry has. */
type Auditing = Pick<Author, 'org' | 'caller' | 'receivedAt'>;

/**
 * Returns the writes that every change by an author makes besides its records: the claim of the request, which comes first
 * in the transaction, and the audit entry.
 *
 * @param outcome what the use case returns if the transaction succeeds
 * @example table.transact([...authored(by, { kind: 'flow.archived', subject }), ...writes])
 */
export function authored(by: Author<void>, change: AuditedChange): Write[];
export function authored<Outcome>(by: Author<Outcome>, change: AuditedChange, outcome: Outcome): Write[];
export function authored<Outcome>(by: Author<Outcome>, change: AuditedChange, outcome?: Outcome): Write[] {
  // Only the overload without an outcome leaves it out, and its outcome is void.
  return [...by.claim(outcome as Outcome), auditOf(by, change)];
}

/** Returns the write of an audit entry where there is no request: for commands of the operator, and for shared record functions. */
export function auditWrite(
  org: OrganizationId,
  { at, actor }: AuditStamp,
  { kind, subject, before, after, covers = [], removed }: AuditedChange,
): Write {
  const lasting = {
    actor,
    subject: { type: subject.type, id: subject.id ?? null, name: cut(subject.name) },
    ...(covers.length > 0 && { covers: [...covers] }),
    ...(removed && { removed }),
  };
  const values = { before: before ? small(before) : null, after: after ? small(after) : null };
  const salts = { entry: randomBytes(32), values: randomBytes(32) };
  const record: z.input<typeof AuditRecord> = {
    v: 1,
    id: orderedId(at),
    at,
    kind,
    ...lasting,
    before: values.before && JSON.stringify(values.before),
    after: values.after && JSON.stringify(values.after),
    salts,
    pledges: {
      entry: commitment(salts.entry, entryText(lasting)),
      values: commitment(salts.values, valuesText(values)),
    },
  };
  return withRequest(putIfAbsent({ ...auditKey(org, monthOf(record.id), record.id), ...record } satisfies Item));
}

/** Values are cut so that entries stay small (rules/organizations.md#audit-entry). */
const LONGEST_TEXT = 256;
const MOST_PARTS = 50;
const DEEPEST = 3;

const cut = (text: string): string => shortenText(text, LONGEST_TEXT);

function small(facts: object, depth = 1): Record<string, Json> {
  const parts = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(parts.slice(0, MOST_PARTS).map(([name, value]) => [cut(name), smallValue(value, depth)]));
}

function smallValue(value: unknown, depth: number): Json {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) {
    return value ?? null;
  }
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) return value.slice(0, MOST_PARTS).map((part) => smallValue(part, depth + 1));
  return typeof value === 'object' ? small(value, depth + 1) : {};
}
