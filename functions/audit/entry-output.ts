import * as z from 'zod';
import { timeOfId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { AuditRecord } from '#shared/organizations/records/audit.ts';
import type { UnreadableEntry } from '#shared/organizations/records/audit-pages.ts';

const facts = z.record(z.string(), z.json()).nullable();

/** An entry of the audit log as clients read it. */
export const AuditEntryOut = z
  .object({
    id: z.string(),
    at: z.number(),
    actor: z.object({
      kind: z.string().meta({ description: '`user`, `service-account` or `operator`' }),
      id: z.string(),
      name: z.string(),
      key_id: z.string().nullable().meta({ description: 'Id of the API key; null for operators' }),
    }),
    kind: z.string().meta({ description: 'What changed, then how: `member.role_changed`' }),
    subject: z.object({ type: z.string(), id: z.string().nullable(), name: z.string() }),
    before: facts.meta({ description: 'Changed fields as they were, long values cut; null where there is nothing' }),
    after: facts.meta({ description: 'The same as they are since' }),
    unreadable: z.literal(true).optional().meta({
      description: 'Set where the entry could not be read: only id and time are its own then.',
    }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryOut = z.input<typeof AuditEntryOut>;

export const auditEntryOut = ({ id, at, actor, kind, subject, before, after }: AuditRecord): AuditEntryOut => ({
  ...{ id, at: toSeconds(at) },
  actor: { kind: actor.kind, id: actor.id, name: actor.name, key_id: actor.keyId },
  ...{ kind, subject, before, after },
});

/** What a list shows of an entry that cannot be read (semantics §1.5). */
export const unreadableEntry = ({ id }: UnreadableEntry): AuditEntryOut => ({
  ...{ id, at: toSeconds(timeOfId(id)), actor: { kind: '', id: '', name: '', key_id: null }, kind: '' },
  ...{ subject: { type: '', id: null, name: '' }, before: null, after: null },
  unreadable: true,
});
