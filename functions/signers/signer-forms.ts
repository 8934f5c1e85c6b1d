import * as z from 'zod';
import { WITH_INVALID_ITEMS, withInput } from '#shared/base/validation.ts';
import { CLAIM_NAMES } from '#shared/signatures/signer.ts';
import type { Unreadable } from '#shared/signers/read-signers.ts';
import { MOST_SUBJECTS, SignerName, type SignerRecord } from '#shared/signers/rules/records.ts';
import { unreadableOut, VERSION_FIELDS, versionOut } from './version-forms.ts';

/** Requests and answers about signers (rules/verified-evidence.md#signers). */

/** Patterns of all claims together, so that a signer stays far below the size limit of an item. */
const MOST_PATTERNS = 50;

const ABOUT = {
  trust_root: 'Name of a trust root, or `sigstore-public`',
  issuer: 'The issuer that proved the identity to the certificate authority, to the byte',
  subjects: 'Patterns of which one has to match the subject. `*` stands for any characters but `/`',
  claims: 'Claim → patterns of which one has to match',
};

const Pattern = z.string().min(1).max(512);
const Claims = z
  .partialRecord(z.enum(CLAIM_NAMES), z.union([Pattern, z.array(Pattern).min(1).max(20)]))
  .refine((claims) => Object.values(claims).flat().length <= MOST_PATTERNS, {
    error: ({ input }) => withInput(`There should be at most ${MOST_PATTERNS} patterns together`, input),
    ...WITH_INVALID_ITEMS.map,
  });

export const SignerRequest = z
  .strictObject({
    trust_root: SignerName.describe(ABOUT.trust_root),
    issuer: z.string().min(1).max(512).nullish().describe(`${ABOUT.issuer}. Not with a public key`),
    subjects: z
      .array(Pattern)
      .max(MOST_SUBJECTS)
      .nullish()
      .describe(`${ABOUT.subjects}. Absent = every subject that the claims match. Not with a public key`),
    claims: Claims.nullish().describe(`${ABOUT.claims}. Not with a public key`),
    description: z.string().max(4096).nullish().describe('A text for people'),
  })
  .meta({ id: 'SignerRequest' });

/** A signer, or one of its versions, in answers. */
export const SignerOut = z
  .object({
    name: z.string().describe('Name of the signer'),
    trust_root: z.string().describe(ABOUT.trust_root),
    issuer: z.string().nullable().describe(`${ABOUT.issuer}; null with a public key`),
    subjects: z.array(z.string()).describe(ABOUT.subjects),
    claims: z.record(z.string(), z.array(z.string())).describe(ABOUT.claims),
    description: z.string().nullable().describe('A text for people'),
    ...VERSION_FIELDS,
  })
  .meta({ id: 'Signer' });
export type SignerOut = z.input<typeof SignerOut>;

export const signerOut = (one: SignerRecord): SignerOut => ({
  name: one.name,
  trust_root: one.root,
  issuer: one.issuer,
  subjects: one.subjects,
  claims: Object.fromEntries(one.claims.map(({ name, values }) => [name, values])),
  description: one.description,
  ...versionOut(one),
});

export const unreadableSigner = (one: Unreadable): SignerOut => ({
  trust_root: '',
  issuer: null,
  subjects: [],
  claims: {},
  description: null,
  ...unreadableOut(one),
});

/** Returns the claims of a request as they are stored: sorted by name, so that equal claims are equal texts. */
export const boundClaims = (claims: z.output<typeof Claims> | null | undefined): SignerRecord['claims'] =>
  Object.entries(claims ?? {})
    .map(([name, values]) => ({ name, values: [...new Set([values].flat())] }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
