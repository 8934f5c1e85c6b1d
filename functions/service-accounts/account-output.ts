import * as z from 'zod';
import { ROLES, type Role } from '#shared/base/roles.ts';
import { toSeconds } from '#shared/base/time.ts';
import { withInput } from '#shared/base/validation.ts';
import type { AccountRecord } from '#shared/organizations/records/service-accounts.ts';

/** A service account as clients read it (API document «Service account»; wire admin §7.1). */
export const AccountOut = z
  .object({
    name: z.string(),
    display_name: z.string(),
    privilege: z.string(),
    creating_user_id: z.string(),
    description: z.string().nullable(),
    created_at: z.number(),
    for_webhook: z.boolean(),
    unreadable: z.literal(true).optional().meta({
      description: 'Set in lists where the record could not be read: only the name is the record’s own then.',
    }),
  })
  .meta({ id: 'ServiceAccount' });
export type AccountOut = z.input<typeof AccountOut>;

/** Accounts are made by requests alone: there are no inbound integrations that make them (semantics §12.3). */
const FOR_WEBHOOK = { for_webhook: false };

export const accountOut = (account: AccountRecord): AccountOut => ({
  name: account.name,
  display_name: account.displayName,
  privilege: account.privilege,
  creating_user_id: account.createdBy,
  description: account.description,
  created_at: toSeconds(account.createdAt),
  ...FOR_WEBHOOK,
});

/** What a list shows of an account whose record cannot be read (semantics §1.5). */
export const unreadableAccount = (name: string): AccountOut => ({
  ...{ name, display_name: name, privilege: 'reader', creating_user_id: '', description: null, created_at: 0 },
  ...FOR_WEBHOOK,
  unreadable: true,
});

const choices = ROLES.map((role) => `<Role.${role.toUpperCase()}: '${role}'>`);

/** The role of a service account; the text of its refusal begins as clients know it (wire admin §1.4). */
export const Privilege = z.enum(ROLES, {
  error: ({ input }) =>
    input === undefined
      ? withInput('Field required', input)
      : withInput(`Input should be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`, input),
}) satisfies z.ZodType<Role>;

/** Longer ones would not be descriptions; `""` is one. */
export const Description = z.string().max(4096);
