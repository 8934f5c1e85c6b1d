import * as z from 'zod';
import { timeOfId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import type { AuditEntry, UnreadableEntry } from '#shared/organizations/list-audit-entries.ts';

const facts = z.record(z.string(), z.unknown()).nullable();

/** An entry of the audit log in answers (rules/organizations.md#audit-entry). */
export const AuditEntryOut = z
  .object({
    id: z.string().describe('Id of the entry'),
    at: z.number().describe('When it happened, in seconds since the epoch'),
    actor: z
      .object({
        kind: z
          .string()
          .meta({ description: '`user`, `service-account` or `operator`; `unknown` for a refused token' }),
        id: z.string().describe('Id of the user, service account or operator'),
        name: z.string().describe('Name of the user, service account or operator'),
        key_id: z.string().nullable().meta({ description: 'Id of the API key; null for `operator` and `unknown`' }),
        identity: CallerIdentity,
      })
      .describe('Who made the change'),
    kind: z.string().meta({ description: 'Subject and kind of change: `member.role_changed`' }),
    subject: z
      .object({
        type: z.string().describe('Kind of the record'),
        id: z.string().nullable().describe('Id of the record; null if it has none'),
        name: z.string().describe('Name of the record'),
      })
      .describe('What was changed'),
    before: facts.meta({
      description: 'The changed fields before the change, long values cut; null if there are none',
    }),
    after: facts.meta({ description: 'The changed fields after the change, long values cut; null if there are none' }),
    hash: z.string().nullable().meta({
      description:
        'SHA-256, in hex, of the entry of the log that stands for this change. Null for an entry that cannot be read.',
    }),
    erased: ErasureOut,
    unreadable: z.literal(true).optional().meta({
      description: 'Present if the entry cannot be read: then only `id` and `at` are valid.',
    }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryOut = z.input<typeof AuditEntryOut>;

export function auditEntryOut(entry: AuditEntry): AuditEntryOut {
  const { id, at, actor, kind, subject, before, after, hash, erased } = entry;
  return {
    id,
    at: toSeconds(at),
    actor: { kind: actor.kind, id: actor.id, name: actor.name, key_id: actor.keyId, identity: actor.identity ?? null },
    kind,
    subject,
    before,
    after,
    hash,
    ...erasedOut(erased),
  };
}

/** The placeholder for an entry that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableEntry = ({ id }: UnreadableEntry): AuditEntryOut => ({
  id,
  at: toSeconds(timeOfId(id)),
  actor: { kind: '', id: '', name: '', key_id: null, identity: null },
  kind: '',
  subject: { type: '', id: null, name: '' },
  before: null,
  after: null,
  hash: null,
  unreadable: true,
});
