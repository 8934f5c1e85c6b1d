import * as z from 'zod';
import { FEATURES, Role } from '#shared/base/roles.ts';
import { toSeconds } from '#shared/base/time.ts';
import { VerifiedIdentity } from '#shared/base/verified-identity.ts';
import { type Credential, endpoint } from '#shared/http/endpoint.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import {
  completeList,
  listedOrganizations,
  MOST_ORGANIZATIONS,
  type OrganizationOfUser,
  readOrganizations,
} from '#shared/organizations/records/organizations-of-user.ts';
import { SignInRuleForm } from '#shared/organizations/sign-in-rule-forms.ts';
import type { Table } from '#shared/table/table.ts';

const OrganizationOut = z
  .object({
    name: z.string().meta({ description: 'Name of the organization' }),
    kind: z.enum(['personal', 'shared']).meta({ description: 'Whether it belongs to one user' }),
    role: Role,
    features: z
      .record(z.enum(FEATURES), z.boolean())
      .meta({ description: 'Each feature, and whether the organization has it' }),
    sign_in_rules: z
      .array(SignInRuleForm)
      .nullable()
      .meta({ description: 'The sign-in rules, for administrators of the organization; null for others' }),
  })
  .meta({ id: 'OrganizationOfUser' });

const CredentialOut = z
  .object({
    kind: z.enum(['api_key', 'session']).meta({ description: 'What the request was authenticated with' }),
    id: z.string().meta({ description: 'Id of the API key or of the session' }),
    api_key_id: z.string().nullable().meta({
      description:
        'Id of the API key, or of the API key that the session was made from; null for a sign-in with the provider',
    }),
    expires_at: z.number().meta({ description: 'Seconds since the epoch; 0 = never' }),
    identity: VerifiedIdentity.optional().meta({
      description: 'Who calls, as an issuer proved it. Absent for a key that was not exchanged for a token',
    }),
  })
  .meta({ id: 'Credential' });

const UserOut = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: 'Name of the user or of the service account' }),
    kind: z.enum(['user', 'service-account']).meta({ description: 'A person or a program' }),
    organizations: z.array(OrganizationOut).meta({ description: 'The organizations of the caller, by name' }),
    has_more_organizations: z
      .boolean()
      .meta({ description: `Whether the caller has more than ${MOST_ORGANIZATIONS} organizations` }),
    default_org_name: z.string().meta({ description: '`""` = none' }),
    credential: CredentialOut.meta({ description: 'The API key or the session of this request' }),
  })
  .meta({ id: 'User' });

/** GET /user: who calls, with which rights and until when (rules/organizations.md#who-am-i). */
export const getUser = endpoint({
  operation: 'getUser',
  method: 'GET',
  path: '/user',
  summary: 'Get the caller, with organizations, roles and the credential of this request',
  description: `At most ${MOST_ORGANIZATIONS} organizations, by name. A service account has one organization and no default.`,
  access: 'authenticated',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: UserOut },
  errors: [],
  uses: { writes: ['@USER', '@MEMBEROF'], batches: ['@MEMBEROF'] },
  handler: async ({ caller: { id, name, kind, identity }, credential }, { table }) => {
    const { organizations, hasMore, chosen } = await organizationsOf(table, credential);
    return {
      status: 200,
      body: {
        id,
        name,
        kind,
        organizations: organizations.map(organizationOut),
        has_more_organizations: hasMore,
        default_org_name: chosen?.name ?? '',
        credential: {
          kind: credential.session ? ('session' as const) : ('api_key' as const),
          id: credential.session?.id ?? credential.key?.id ?? '',
          api_key_id: credential.key?.id ?? null,
          expires_at: toSeconds(credential.endsAt),
          ...(identity && { identity }),
        },
      },
    };
  },
});

interface Organizations {
  organizations: OrganizationOfUser[];
  hasMore: boolean;
  chosen?: OrganizationOfUser | undefined;
}

async function organizationsOf(table: Table, { principal, session }: Credential): Promise<Organizations> {
  const { id, name, org } = principal;
  const claims = session?.claims;
  if (org !== undefined) return { organizations: await readOrganizations(table, id, [org], claims), hasMore: false };
  const [user, listed] = await Promise.all([new Directory(table).user(name), listedOrganizations(table, id)]);
  const isComplete = user === undefined || user.organizationsListed === 'all';
  if (!isComplete) await completeList(table, user);
  const ids = isComplete ? listed : await listedOrganizations(table, id);
  const shown = ids.slice(0, MOST_ORGANIZATIONS);
  const chosenId = user?.defaultOrganization?.id;
  const read = await readOrganizations(table, id, [...new Set([...shown, ...(chosenId ? [chosenId] : [])])], claims);
  return {
    organizations: read.filter((organization) => shown.includes(organization.id)),
    hasMore: ids.length > shown.length,
    chosen: read.find((organization) => organization.id === chosenId),
  };
}

const organizationOut = ({ name, kind, role, features, signInRules }: OrganizationOfUser) => ({
  name,
  kind,
  role,
  features: Object.fromEntries(FEATURES.map((feature) => [feature, features.includes(feature)])) as Record<
    (typeof FEATURES)[number],
    boolean
  >,
  sign_in_rules: role === 'admin' ? [...signInRules] : null,
});
