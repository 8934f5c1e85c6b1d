import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { withInput } from '#shared/base/validation.ts';
import { LONGEST_CLAIM, MOST_CLAIMS } from '#shared/callers/verified-identity.ts';
import { PRESETS } from '#shared/organizations/rules/trust-presets.ts';
import { type BoundClaim, MOST_MINUTES, trustErrors, trustWarnings } from '#shared/organizations/rules/trusts.ts';
import { type ReadTrust, trustFacts } from '#shared/organizations/trusts/read-trusts.ts';

/** Requests and answers about trusts (rules/identities.md#fields-of-a-trust). */

const DEFAULT_MINUTES = 15;
/** Patterns of all claims together, so that a trust stays far below the size limit of an item. */
const MOST_PATTERNS = 100;

const ABOUT = {
  service_account: 'Name of the service account as which the pipelines act',
  preset: 'The CI system whose tokens are accepted; `any` for every other issuer',
  issuer: 'Claim `iss`, exactly as tokens have it',
  audience: 'Claim `aud` that tokens have to have',
  minutes: 'How long a key works',
};

/** The first character keeps names of object prototypes out. */
const ClaimName = z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.:/-]{0,127}$/);
const Pattern = z.string().min(1).max(512);

const Claims = z
  .record(ClaimName, z.union([Pattern, z.array(Pattern).min(1).max(50)]))
  .refine(
    (claims) => Object.keys(claims).length <= MOST_CLAIMS && Object.values(claims).flat().length <= MOST_PATTERNS,
    {
      error: ({ input }) =>
        withInput(`There should be at most ${MOST_CLAIMS} claims with ${MOST_PATTERNS} patterns together`, input),
    },
  );

export const TrustRequest = z
  .object({
    service_account: z.string().meta({ description: ABOUT.service_account }),
    preset: z.enum(PRESETS).meta({ description: ABOUT.preset }),
    issuer: z
      .string()
      .min(1)
      .max(512)
      .nullish()
      .meta({
        description: `${ABOUT.issuer}. Absent = the public issuer of \`github\`, \`gitlab\` or \`buildkite\`; the others need it`,
      }),
    audience: z.string().min(1).max(512).meta({ description: ABOUT.audience }),
    claims: Claims.meta({
      description: `Claim → pattern, or list of patterns of which one has to match. \`*\` stands for any characters but \`/\`. At most ${MOST_CLAIMS} claims`,
      maxProperties: MOST_CLAIMS,
    }),
    minutes: z
      .int()
      .min(1)
      .max(MOST_MINUTES)
      .default(DEFAULT_MINUTES)
      .meta({
        description: ABOUT.minutes,
        override: { default: DEFAULT_MINUTES },
      }),
    description: z.string().max(4096).nullish().describe('A text for people'),
  })
  .meta({ id: 'TrustRequest' });

export const TrustOut = z
  .object({
    name: z.string().meta({ description: 'Name of the trust' }),
    service_account: z.string().meta({ description: ABOUT.service_account }),
    preset: z.string().meta({ description: ABOUT.preset }),
    issuer: z.string().meta({ description: ABOUT.issuer }),
    audience: z.string().meta({ description: ABOUT.audience }),
    claims: z.record(z.string(), z.array(z.string().max(LONGEST_CLAIM))).meta({ description: 'Claim → patterns' }),
    minutes: z.number().meta({ description: ABOUT.minutes }),
    description: z.string().nullable().describe('A text for people'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    changed_at: z.number().meta({ description: 'Seconds since the epoch: when the trust was saved last' }),
    first_used_at: z.number().meta({
      description: 'First exchange since the last change of issuer, audience, claims or service account; 0 = none yet',
    }),
    warnings: z.array(z.string()).meta({ description: 'Known traps of such a trust, one sentence each' }),
    unreadable: z.literal(true).optional().meta({
      description: 'Present in lists if the record cannot be read: then only `name` is valid.',
    }),
  })
  .meta({ id: 'Trust' });
export type TrustOut = z.input<typeof TrustOut>;

export const trustOut = ({ trust, account }: ReadTrust): TrustOut => ({
  name: trust.name,
  ...trustFacts(trust),
  created_at: toSeconds(trust.createdAt),
  changed_at: toSeconds(trust.changedAt),
  first_used_at: toSeconds(trust.firstUsedAt),
  warnings: [
    ...(account?.id === trust.account.id
      ? []
      : ['The service account was deleted, so no token is accepted. Save the trust with another service account.']),
    // A trust of an earlier release can break rules that are newer.
    ...[...trustErrors(trust)].map(([field, error]) => `${field}: ${error}`),
    ...trustWarnings(trust, account?.privilege),
  ],
});

/** The placeholder for a trust that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableTrust = (name: string): TrustOut => ({
  name,
  service_account: '',
  preset: 'any',
  issuer: '',
  audience: '',
  claims: {},
  minutes: 0,
  description: null,
  created_at: 0,
  changed_at: 0,
  first_used_at: 0,
  warnings: [],
  unreadable: true,
});

/** Returns the claims of a request as they are stored: sorted by name, so that equal claims are equal texts. */
export const boundClaims = (claims: z.output<typeof Claims>): BoundClaim[] =>
  Object.entries(claims)
    .map(([name, values]) => ({ name, values: [...new Set([values].flat())] }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
