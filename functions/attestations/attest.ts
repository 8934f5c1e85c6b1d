import * as z from 'zod';
import { isDictionary, withInput } from '#shared/base/validation.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import {
  ATTEST_USES,
  type AttestingServices,
  type MadeAttestation,
  recordAttestation,
  refuseTooManyFiles,
} from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import {
  ATTESTATION_KINDS,
  type AttestationKind,
  type CommonReport,
} from '#shared/evidence/rules/attestation-kinds.ts';
import { archivedType, artifactNotInTrail, unknownFlow, unknownType } from '#shared/evidence/rules/sentences.ts';
import { FlowName, TrailName } from '#shared/evidence/rules/shared-fields.ts';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { INLINE_LIMIT } from '#shared/http/multipart.ts';
import type { FileRule } from '#shared/http/request.ts';
import { attachmentTooLarge, featureOff, inlineFileTooLarge } from '#shared/http/sentences.ts';
import { answerWrite, ok } from '#shared/http/written.ts';

/** The endpoints of the API document that attest, by path segment. */
const ROWS: Record<string, number> = { issue_tracker: 7, custom: 8, generic: 9 };

const FILES: FileRule[] = [
  {
    part: /^attachment_file(\.[0-9]+)?$/,
    limit: INLINE_LIMIT,
    tooLarge: inlineFileTooLarge,
    description: 'An attachment of up to 4 MB. Upload a larger file first and name it in `attachments`',
  },
];

/** The kinds that the endpoint of a path segment accepts, by segment. Only `system` has several. */
const KINDS = Map.groupBy(
  Object.values(ATTESTATION_KINDS).flatMap((kind) =>
    // The reports of a kind come from its own schema, which only the kind knows.
    kind.segments.map((segment) => ({ segment, kind: kind as AttestationKind })),
  ),
  ({ segment }) => segment,
);

/**
 * One endpoint per path segment of every kind (rules/attestations.md#paths-of-kinds). A new kind adds its endpoints.
 */
export const attestEndpoints: Endpoint[] = [...KINDS].map(([segment, rows]) => {
  const [first, ...others] = rows.map(({ kind }) => kind);
  if (!first) throw new Error(`no kind of attestation has the segment ${segment}`);
  return attest(segment, first, others);
});

/**
 * POST /attestations/{org}/{flow_name}/trail/{trail_name}/{kind}: reports an attestation
 * (rules/attestations.md#reporting).
 *
 * @param others further kinds of the segment; then `type_name` of a report says which kind it is
 */
function attest(segment: string, first: AttestationKind, others: readonly AttestationKind[]): Endpoint {
  const row = ROWS[segment];
  const kinds = [first, ...others];
  const { takesFiles } = first;
  const schema = others.length === 0 ? first.schema : anyOfKinds(kinds, `${capital(segment)}Report`);
  return endpoint({
    operation: `attest${segment.split('_').map(capital).join('')}`,
    method: 'POST',
    path: `/attestations/{org}/{flow_name}/trail/{trail_name}/${segment}`,
    summary: `Report a ${segment.replace('_', ' ')} attestation`,
    description: [
      'Creates the flow and the trail if they do not exist. The attestation is bound to an artifact by `artifact_fingerprint`, or by `target_artifacts` and the commit, otherwise to the trail. Only the latest report of a name and type counts.',
      ...kinds.flatMap(({ type, feature }) =>
        feature ? [`With \`type_name\` = \`${type}\` the organization must have the beta feature \`${feature}\`.`] : [],
      ),
    ].join(' '),
    access: 'member',
    ...(row !== undefined && { row }),
    params: z.object({ org: z.string(), flow_name: FlowName, trail_name: TrailName }),
    body: takesFiles
      ? { kind: 'multipart', part: 'data_json', schema, files: FILES, plainJson: true }
      : { kind: 'json', schema },
    success: { 201: z.literal('OK') },
    makes: { at: '/attestations/{org}?attestation_id={attestation_id}', id: 'attestation_id' },
    appends: '/receipts/{org}/trails/{flow_name}/{trail_name}/{number}',
    errors: [
      artifactNotInTrail,
      unknownFlow,
      inlineFileTooLarge,
      attachmentTooLarge,
      ...(segment === 'custom' ? [unknownType, archivedType] : []),
      ...(kinds.some(({ feature }) => feature) ? [featureOff] : []),
    ],
    checks: [({ sent, files }) => refuseTooManyFiles(files, sent)],
    uses: ATTEST_USES,
    handler: async (request, services: AttestingServices) => {
      const { params, body: validated, bodyText, files, org } = request;
      // The schema of every kind has these fields.
      const body = validated as CommonReport;
      const kind = kinds.find(({ type }) => type === typeNameOf(body)) ?? first;
      if (kind.feature && !org.features.includes(kind.feature)) throw featureOff();
      const target = { flow: params.flow_name, trail: params.trail_name };
      return answerWrite(
        request,
        (by) => recordAttestation(services, by, target, { kind, body, bodyText, files }, decisionBinding),
        ({ made, appended }: Reported<MadeAttestation>) => ({ ...ok(201, { attestation_id: made.id }), appended }),
      );
    },
  });
}

/**
 * Accepts a report of any of the kinds. `type_name` decides which fields it must have.
 * @param id name of the schema
 */
function anyOfKinds(kinds: readonly AttestationKind[], id: string): AttestationKind['schema'] {
  const names = kinds.map(({ type }) => `'${type}'`).join(' or ');
  // Kinds that share a segment are objects with the literal `type_name`.
  const schemas = kinds.map(({ schema }) => schema) as unknown as [z.ZodObject, ...z.ZodObject[]];
  const any = z.discriminatedUnion('type_name', schemas, {
    error: ({ input }) => {
      const given = typeNameOf(input);
      return withInput(given === undefined ? 'Field required' : `Input should be ${names}`, given);
    },
  });
  // What one of the schemas accepts is a report of its kind.
  return any.meta({ id }) as unknown as AttestationKind['schema'];
}

const typeNameOf = (report: unknown): unknown => (isDictionary(report) ? report['type_name'] : undefined);

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
