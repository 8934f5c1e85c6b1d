import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { withInput } from '#shared/base/validation.ts';
import { ROLES, type Role } from '#shared/callers/roles.ts';
import type { AccountRecord } from '#shared/organizations/accounts/read-accounts.ts';

/** A service account in answers (rules/organizations.md#service-accounts). */
export const AccountOut = z
  .object({
    name: z.string().describe('Name of the service account'),
    display_name: z.string().describe('Name for people'),
    privilege: z.string().describe('Role of the service account in the organization'),
    creating_user_id: z.string().describe('Id of the user that made the account'),
    description: z.string().nullable().describe('A text for people'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    for_webhook: z.boolean().describe('Whether the account is for webhooks; always false'),
    unreadable: z.literal(true).optional().meta({
      description: 'Present in lists if the record cannot be read: then only `name` is valid.',
    }),
  })
  .meta({ id: 'ServiceAccount' });
export type AccountOut = z.input<typeof AccountOut>;

/** Always false: only requests create accounts, no inbound integration does (rules/organizations.md#service-accounts). */
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

/** The placeholder for an account that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableAccount = (name: string): AccountOut => ({
  name,
  display_name: name,
  privilege: 'reader',
  creating_user_id: '',
  description: null,
  created_at: 0,
  ...FOR_WEBHOOK,
  unreadable: true,
});

const choices = ROLES.map((role) => `<Role.${role.toUpperCase()}: '${role}'>`);

/** The role of a service account. Clients know the text of the error (rules/requests.md#validation-texts). */
export const Privilege = z.enum(ROLES, {
  error: ({ input }) =>
    input === undefined
      ? withInput('Field required', input)
      : withInput(`Input should be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`, input),
}) satisfies z.ZodType<Role>;

/** `""` is allowed (rules/organizations.md#service-accounts). */
export const Description = z.string().max(4096);
