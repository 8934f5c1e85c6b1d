import * as z from 'zod';
import { SignInRuleOut } from '#functions/forms/sign-in-rule-forms.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { FEATURES, type Feature, Role } from '#shared/callers/roles.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import {
  MOST_ORGANIZATIONS,
  type Offer,
  type OrganizationOfUser,
  READ_CALLER,
  readCaller,
} from '#shared/organizations/read-caller.ts';
import { grantsOf, isGranted, namedBy } from '#shared/organizations/rules/sign-in-rules.ts';

const OrganizationOut = z
  .object({
    name: z.string().meta({ description: 'Name of the organization' }),
    kind: z.enum(['personal', 'shared']).meta({ description: 'Whether it belongs to one user' }),
    role: Role.describe('Role in the organization'),
    features: z
      .record(z.enum(FEATURES), z.boolean())
      .meta({ description: 'Each feature, and whether the organization has it' }),
    sign_in_rules: z
      .array(SignInRuleOut)
      .nullable()
      .meta({ description: 'The sign-in rules, for administrators of the organization; null for others' }),
    sign_in_grants: z
      .object({
        domains: z.array(z.string()).meta({ description: 'Domains that rules may name' }),
        groups: z.array(z.string()).meta({ description: 'Groups that rules may name' }),
      })
      .meta({ id: 'SignInGrants' })
      .nullable()
      .meta({
        description:
          'What the operator lets sign-in rules name, for administrators of the organization; null for others',
      }),
  })
  .meta({ id: 'OrganizationOfUser' });

const OfferOut = z
  .object({
    organization: z.string().meta({ description: 'Name of the organization' }),
    role: Role.meta({ description: 'The role that the caller would have' }),
    by: z.enum(['invitation', 'domain', 'group']).meta({ description: 'What lets the caller in' }),
    name: z.string().nullable().meta({ description: 'The domain or the group; null for an invitation' }),
    declined: z.boolean().meta({ description: 'Whether the caller answered that the offer can wait' }),
  })
  .meta({ id: 'Offer' });

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
    id: z.string().describe('The id'),
    name: z.string().meta({ description: 'Name of the user or of the service account' }),
    kind: z.enum(['user', 'service-account']).meta({ description: 'A person or a program' }),
    organizations: z.array(OrganizationOut).meta({ description: 'The organizations of the caller, by name' }),
    has_more_organizations: z
      .boolean()
      .meta({ description: `Whether the caller has more than ${MOST_ORGANIZATIONS} organizations` }),
    offers: z
      .array(OfferOut)
      .meta({ description: 'Organizations that the caller may join with `PUT /organizations/{org}/membership`' }),
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
  success: { 200: UserOut },
  uses: READ_CALLER,
  handler: async ({ caller: { id, name, kind, identity }, credential, receivedAt }, stores: Pick<Stores, 'table'>) => {
    const { organizations, hasMore, chosen, offers } = await readCaller(stores, credential, receivedAt);
    return {
      status: 200,
      body: {
        id,
        name,
        kind,
        organizations: organizations.map(organizationOut),
        has_more_organizations: hasMore,
        offers: offers.map(offerOut),
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

const offerOut = ({ organization, role, rule, declined }: Offer) => ({
  organization,
  role,
  declined,
  ...(rule ? { by: namedBy(rule).kind, name: namedBy(rule).name } : { by: 'invitation' as const, name: null }),
});

const switched = (features: readonly Feature[]) =>
  // `fromEntries` types its keys as texts. These are all features.
  Object.fromEntries(FEATURES.map((one) => [one, features.includes(one)])) as Record<Feature, boolean>;

const organizationOut = ({ signInRules = [], role, ...organization }: OrganizationOfUser) => {
  const { name, kind, features } = organization;
  const grants = grantsOf(organization);
  return {
    name,
    kind,
    role,
    features: switched(features),
    sign_in_rules: role === 'admin' ? signInRules.map((rule) => ({ ...rule, granted: isGranted(rule, grants) })) : null,
    sign_in_grants: role === 'admin' ? grants : null,
  };
};
