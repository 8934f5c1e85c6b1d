import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { ProvedTimes, SIGNER_FIELDS } from '#shared/evidence/rules/verification.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { LIBRARY, type VerifiedBundle } from '#shared/signatures/verify-bundle.ts';
import { type CheckedBundle, checkBundle } from '#shared/signers/check-bundle.ts';
import { unknownSigner } from '#shared/signers/rules/sentences.ts';

/** POST /signers/{org}/{name}/check: verifies bundles and stores nothing (rules/verified-evidence.md#check). */

/** One bundle and what comes with it in JSON lines. Twenty of them at most. */
const LONGEST_FILE = 1024 * 1024;

const CheckRequest = z
  .strictObject({
    bundle: z
      .string()
      .min(1)
      .max(LONGEST_FILE)
      .describe('The text of a Sigstore bundle or of a signed envelope, or up to 20 of them as JSON lines'),
    fingerprint: z
      .string()
      .regex(/^[a-f0-9]{64}$/)
      .nullish()
      .describe('SHA-256 of the artifact that the bundles have to be about. Absent = whatever they name'),
  })
  .meta({ id: 'SignerCheckRequest' });

const Checked = z.object({
  verified: z.boolean().describe('Whether the bundle is verified as a signature of the signer'),
  grade: z
    .string()
    .nullable()
    .describe(
      '`logged` if a log or a timestamp authority proves when it was signed, else `signed`; null if it is not verified',
    ),
  error: z.string().nullable().describe('Why the bundle is not verified; null if it is'),
  ...SIGNER_FIELDS,
  log_entries: z
    .array(
      z.object({
        log_id: z.string().describe('SHA-256 of the key of the log, as hexadecimal digits'),
        index: z.string().describe('Index of the entry in the log, as a decimal text'),
      }),
    )
    .describe('The proved entries of logs'),
  times: ProvedTimes,
  predicate_type: z.string().nullable().describe('Type of the statement; null if the bundle is not verified'),
  subjects: z
    .array(
      z.object({
        name: z.string().describe('Name of the subject; may be empty'),
        digest: z.record(z.string(), z.string()).describe('Digests by algorithm'),
      }),
    )
    .describe('What the statement is about'),
});

const CheckOut = z
  .object({
    signer: z.string().describe('Name of the signer'),
    signer_version: z.int().describe('Number of the version of the signer'),
    trust_root: z.string().describe('Name of the trust root'),
    trust_root_version: z.int().nullable().describe('Number of the version of the trust root; null for the public one'),
    library: z.string().describe('Name and version of the library that verified'),
    bundles: z.array(Checked).describe('What was found, in the order of the bundles'),
  })
  .meta({ id: 'SignerCheck' });

export const checkSigner = endpoint({
  operation: 'checkSigner',
  method: 'POST',
  path: '/signers/{org}/{name}/check',
  summary: 'Verify bundles as signatures of a signer, and store nothing',
  description:
    'Shows whether a signer is what its pipelines are. A bundle that is not verified has the sentence of the refusal.',
  access: 'reader',
  body: { kind: 'json', schema: CheckRequest },
  success: { 200: CheckOut },
  errors: [unknownSigner],
  handler: async ({ params, org, body }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const artifact = body.fingerprint == null ? undefined : { sha256: body.fingerprint };
    const { signer, root, bundles } = await checkBundle(stores, org, {
      name: params.name,
      file: body.bundle,
      artifact,
    });
    return {
      status: 200,
      body: {
        signer: signer.name,
        signer_version: signer.version,
        trust_root: signer.root,
        trust_root_version: root?.version ?? null,
        library: LIBRARY,
        bundles: bundles.map(checkedOut),
      },
    };
  },
});

const NOTHING = {
  issuer: null,
  subject: null,
  claims: {},
  log_entries: [],
  times: [],
  predicate_type: null,
  subjects: [],
};

const checkedOut = (one: CheckedBundle): z.input<typeof Checked> =>
  'error' in one ? { verified: false, grade: null, error: one.error, ...NOTHING } : verifiedOut(one.verified);

const verifiedOut = ({ grade, signer, logs, times, statement }: VerifiedBundle): z.input<typeof Checked> => ({
  verified: true,
  grade,
  error: null,
  issuer: signer.kind === 'key' ? null : signer.issuer,
  subject: signer.kind === 'key' ? null : signer.subject,
  claims: signer.kind === 'key' ? {} : { ...signer.claims },
  log_entries: logs.map(({ id, index }) => ({ log_id: id, index })),
  times: times.map(({ seconds, from }) => ({ at: seconds, from })),
  predicate_type: statement?.predicateType ?? null,
  subjects: statement?.subjects.map(({ name, digest }) => ({ name, digest: { ...digest } })) ?? [],
});
