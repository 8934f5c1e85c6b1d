import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { isDictionary, withInput } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { Organization } from '#shared/callers/caller.ts';
import {
  type MadeFromBundle,
  type ReportedBundles,
  SIGNED_FILE,
} from '#shared/evidence/attestations/record-bundles.ts';
import { tooManyNamed, tooManyOfBundles } from '#shared/evidence/rules/bundles/sentences.ts';
import { BundleReport } from '#shared/evidence/rules/kinds/bundle.ts';
import { artifactNotInTrail, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { leastGrade, Verification } from '#shared/evidence/rules/verification.ts';
import { INLINE_LIMIT } from '#shared/http/multipart.ts';
import type { FileRule } from '#shared/http/request.ts';
import { featureOff, inlineFileTooLarge } from '#shared/http/sentences.ts';

/** What the endpoints that take bundles have in common (rules/verified-evidence.md#report-a-bundle). */

const { grade, signer, error } = Verification.shape;

const Made = z
  .object({
    attestation_id: z.string().describe('Id of the attestation'),
    attestation_type: z.string().describe('What the statement is, from its predicate type'),
    artifact_fingerprint: z
      .string()
      .nullable()
      .describe('SHA-256 of the artifact that it is about; null for the trail as a whole'),
    bundle_digest: z.string().describe('SHA-256 of the text of the bundle'),
    grade,
    signer,
    error,
    recalled_by: z
      .array(z.string())
      .optional()
      .describe('Names of the recalls that the signature falls under: the attestation does not count. Absent if none'),
  })
  .meta({ id: 'BundleAttested' });

export const madeFields = {
  attestations: z.array(Made).describe('What was stored, in the order of the bundles and of their subjects'),
};

export const requireField = {
  require: z
    .literal('signed')
    .optional()
    .meta({ description: '`signed`: a bundle that is not verified is refused, and nothing is stored' }),
};

const PART = 'bundle_file';

const FILES: FileRule[] = [
  {
    part: PART,
    alsoText: true,
    limit: INLINE_LIMIT,
    tooLarge: inlineFileTooLarge,
    description:
      'A bundle of at most 262,144 characters, or up to 20 as JSON lines. Without it, `attachments` has the id of an uploaded file',
  },
  {
    part: SIGNED_FILE,
    limit: INLINE_LIMIT,
    tooLarge: inlineFileTooLarge,
    description:
      'The file that bundles without a statement sign: they can be verified only with it. A larger one is uploaded, and its id is the member `signed_file` of the document',
  },
];
export const BUNDLE_BODY = {
  kind: 'multipart' as const,
  part: 'data_json',
  schema: BundleReport,
  plainJson: true,
  files: FILES,
};

/** The header of every answer. */
export const GRADE_HEADER = {
  descriptions: { 'X-Evidence-Grade': 'The least grade among what was stored: `stated` if a bundle was not verified' },
  of: ({ attestations }: { attestations: readonly z.output<typeof Made>[] }) => ({
    'x-evidence-grade': leastGrade(attestations.map((made) => made.grade)),
  }),
};

export const madeOut = ({ id, type, fingerprint, verification, recalls }: MadeFromBundle): z.input<typeof Made> => ({
  attestation_id: id,
  attestation_type: type,
  artifact_fingerprint: fingerprint,
  bundle_digest: verification.bundle_digest ?? '',
  grade: verification.grade,
  signer: verification.signer,
  error: verification.error,
  ...(recalls.length > 0 && { recalled_by: recalls.map(({ name }) => name) }),
});

/** What every endpoint that takes bundles refuses. */
export const BUNDLE_ERRORS = [
  artifactNotInTrail,
  unknownFlow,
  featureOff,
  inlineFileTooLarge,
  tooManyOfBundles,
  tooManyNamed,
];

/** A request with bundles, as far as all of these endpoints read it. */
interface BundleRequest {
  org: Pick<Organization, 'features'>;
  query: { require?: 'signed' | undefined };
  body: BundleReport;
  bodyText: string;
  files: readonly FilePart[];
}

/**
 * Returns what a request reports.
 *
 * @throws ServiceError `refused` if a bundle decides about a control, and the organization has no controls
 */
export function reportedBy({ org, query, body, bodyText, files }: BundleRequest): ReportedBundles {
  if (body.control != null && !org.features.includes('controls')) throw featureOff();
  return {
    body,
    bodyText,
    isSignedRequired: query.require === 'signed',
    file: files.find(({ part }) => part === PART),
    signedFile: files.find(({ part }) => part === SIGNED_FILE),
  };
}

/**
 * @throws ServiceError `invalid` unless there is a part with the bundle, or exactly one upload, and for a signed file that is there twice
 */
export function requireOneFile(parts: readonly FilePart[], sent: unknown): void {
  const { attachments: given, signed_file: upload } = isDictionary(sent) ? sent : {};
  if (upload != null && parts.some(({ part }) => part === SIGNED_FILE)) {
    const text = `Send the signed file once: the part ${SIGNED_FILE}, or the id of an upload in this field`;
    throw invalid({ [SIGNED_FILE]: withInput(text, upload) });
  }
  const files = parts.filter(({ part }) => part === PART);
  const uploads = Array.isArray(given) ? given : [];
  if (files.length + uploads.length === 1) return;
  if (files.length === 0 && uploads.length === 0) throw invalid({ [PART]: withInput('Field required', undefined) });
  throw invalid({
    attachments: withInput(`Send one file: the part ${PART}, or the id of one upload in this field`, uploads),
  });
}
