import * as z from 'zod';
import { invalidField } from '#shared/base/validation.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { AttestationOut, attestationOut } from '#shared/evidence/attestation-output.ts';
import { canonicalType } from '#shared/evidence/rules/attestation-kinds.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { selectAttestations } from '#shared/evidence/select-attestations.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPage, dataPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';

/**
 * GET /attestations/{org}: attestations that match all filters, newest first (rules/attestations.md#list-attestations).
 */
export const listAttestations = endpoint({
  operation: 'listAttestations',
  method: 'GET',
  path: '/attestations/{org}',
  summary: 'List attestations',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({
    ...pageFields({ perPage: 20 }),
    attestation_id: z.string().optional(),
    attestation_type: z.string().optional(),
    flow: z.string().optional(),
    trail: z.string().optional().meta({ description: 'Name of a trail; needs `flow`' }),
    fingerprint: z.string().optional().meta({ description: 'Full SHA-256 of an artifact' }),
  }),
  body: { kind: 'none' },
  success: { 200: dataPageSchema(AttestationOut) },
  errors: [unknownFlow],
  uses: READ_BODIES,
  checks: [
    ({ query: { trail, flow } }) => {
      if (trail !== undefined && flow === undefined) throw invalidField('query.flow', 'Field required', undefined);
    },
  ],
  handler: async (request, services) => {
    const { query, org, host } = request;
    const { page, per_page: perPage, ...filters } = query;
    const type = filters.attestation_type === undefined ? undefined : canonicalType(filters.attestation_type);
    const selected = await selectAttestations(services, org, { ...filters, type }, { page, perPage });
    const { total, records, flowName } = selected;
    const reader = { host, orgName: org.name, orgId: org.id, flowName };
    const items = await Promise.all(records.map((record) => attestationOut(services, record, reader)));
    const shown = { page, perPage, total, items };
    return pageAnswer(request, shown, dataPage(shown));
  },
});
