import * as z from 'zod';
import { type Id, type OrganizationId, orderedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Caller, Request } from '#shared/http/endpoint.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type Item, putIfAbsent, type Write } from '#shared/table/table.ts';
import { PrincipalKind } from './directory-records.ts';
import { auditKey } from './keys.ts';

/**
 * The audit log: who changed what, when and by which key, of every change that is not evidence itself (semantics §12.1,
 * §15). An entry is an item of the transaction of its change: neither is there without the other. Nothing changes or
 * removes it.
 */

/** What changed, then how: `member.role_changed`. */
export type AuditKind = `${string}.${string}`;

/** Who made a change. Operators are known to IAM, not to this service, and have no key. */
export const AuditActor = z.object({
  kind: z.enum([...PrincipalKind.options, 'operator']),
  id: z.string(),
  name: z.string(),
  keyId: z.string().nullable(),
});
export type AuditActor = z.infer<typeof AuditActor>;

/** What was changed; `id` is null where a thing is known by its name or number alone. */
export const AuditSubject = z.object({ type: z.string(), id: z.string().nullable(), name: z.string() });
export type AuditSubject = z.infer<typeof AuditSubject>;

/** A few fields of the subject, as they were or as they are now. */
export type AuditFacts = Record<string, unknown>;

type Json = z.infer<ReturnType<typeof z.json>>;
/** Of JSON text: its values need no second look. */
const Facts = z.record(z.string(), z.custom<Json>());
/** Kept as JSON text: callers choose names in them, and not every name can be that of an attribute. */
const FactsText = z.string().transform((text) => Facts.parse(JSON.parse(text)));

export const AuditRecord = z.object({
  v: z.literal(1),
  id: z.string(),
  at: z.int(),
  actor: AuditActor,
  kind: z.string(),
  subject: AuditSubject,
  before: FactsText.nullable(),
  after: FactsText.nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

/** What a handler says of its change; who and when are the request's. */
export interface AuditedChange {
  kind: AuditKind;
  subject: { type: string; id?: Id | undefined; name: string };
  /** The changed fields as they were; left out where the thing is new. */
  before?: AuditFacts;
  /** The changed fields as they are now; left out where the thing is gone. Never a secret. */
  after?: AuditFacts;
}

/** Who makes a change, and when. */
export interface AuditStamp {
  at: Micros;
  actor: AuditActor;
}

export const OPERATOR: AuditActor = { kind: 'operator', id: 'operator', name: 'operator', keyId: null };

/** @param at microseconds; minted anew or the request's: the entry is sorted by it */
export const stampOf = ({ kind, id, name, keyId }: Caller, at: Micros): AuditStamp => ({
  at,
  actor: { kind, id, name, keyId },
});

/**
 * The write that puts a change into the audit log, for the transaction of the change. Endpoints that use it declare
 * writes of `AUDIT`.
 *
 * @example auditOf(request, { kind: 'flow.archived', subject: { type: 'flow', id, name } })
 */
export const auditOf = (
  { org, caller, receivedAt }: Pick<Request, 'org' | 'caller' | 'receivedAt'>,
  change: AuditedChange,
): Write => auditWrite(org.id, stampOf(caller, receivedAt), change);

/** The same without a request: for operators' commands, and for store functions that both share. */
export function auditWrite(
  org: OrganizationId,
  { at, actor }: AuditStamp,
  { kind, subject, before, after }: AuditedChange,
): Write {
  const record: z.input<typeof AuditRecord> = {
    ...{ v: 1, id: orderedId(at), at, actor, kind },
    subject: { type: subject.type, id: subject.id ?? null, name: cut(subject.name) },
    before: before ? JSON.stringify(small(before)) : null,
    after: after ? JSON.stringify(small(after)) : null,
  };
  return putIfAbsent({ ...auditKey(org, monthOf(record.id), record.id), ...record } satisfies Item);
}

/** Entries stay small: the log says what changed, it is no second store. */
const LONGEST_TEXT = 256;
const MOST_PARTS = 50;
const DEEPEST = 3;

const cut = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

function small(facts: AuditFacts, depth = 1): Record<string, Json> {
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
  return small(value as AuditFacts, depth + 1);
}
