import * as z from 'zod';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { AttestationOut, attestationsOut } from '#shared/evidence/attestation-output.ts';
import { findAttestations } from '#shared/evidence/find-attestations.ts';
import { canonicalType } from '#shared/evidence/rules/attestation-kinds.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import { type Selected, selectAttestations } from '#shared/evidence/select-attestations.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dataPage, dataPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { booleanField, pageFields, windowFields, windowOf } from '#shared/http/query-fields.ts';
import {
  checkScannedPage,
  entryBefore,
  scanCursorField,
  scannedAnswer,
  scannedPageSchema,
} from '#shared/http/scanned-pages.ts';

/** Filters with which pages have cursors. */
const SCANNED = 'name, result, author, control or grade';

const Query = z.object({
  ...pageFields({ perPage: 20 }),
  attestation_id: z.string().optional(),
  attestation_type: z.string().optional(),
  flow: AnyFlowName.optional(),
  trail: AnyTrailName.optional().meta({ description: 'Name of a trail; needs `flow`' }),
  fingerprint: z.string().optional().meta({ description: 'Full SHA-256 of an artifact' }),
  ...windowFields,
  attestation_name: z.string().optional().meta({ description: 'Name of the attestation. Pages then have cursors' }),
  is_compliant: booleanField()
    .optional()
    .meta({ description: 'Only attestations with this result. Pages then have cursors' }),
  created_by: z.string().optional().meta({
    description: 'Name of the user or service account that reported it. Pages then have cursors',
  }),
  control: z.string().optional().meta({
    description: 'Identifier of a control: only decisions about it. Pages then have cursors',
  }),
  grade_below: z.enum(GRADES).optional().meta({
    description:
      'Only evidence of a lesser grade: `signed` finds what nobody whose signature counts has signed. Pages then have cursors',
  }),
  cursor: scanCursorField(SCANNED),
});
type Query = z.output<typeof Query>;

const recordFilters = (query: Partial<Query>) => ({
  name: query.attestation_name,
  compliant: query.is_compliant,
  by: query.created_by,
  control: query.control,
  below: query.grade_below,
});
const isScanned = (query: Partial<Query>): boolean =>
  Object.values(recordFilters(query)).some((value) => value !== undefined);

/**
 * GET /attestations/{org}: attestations that match all filters, newest first (rules/attestations.md#list-attestations).
 */
export const listAttestations = endpoint({
  operation: 'listAttestations',
  method: 'GET',
  path: '/attestations/{org}',
  summary: 'List attestations',
  access: 'reader',
  query: Query,
  success: {
    200: z.union([dataPageSchema(AttestationOut), scannedPageSchema(AttestationOut).meta({ id: 'FoundAttestations' })]),
  },
  errors: [unknownFlow],
  uses: READ_BODIES,
  checks: [
    ({ query: { trail, flow } }) => {
      if (trail !== undefined && flow === undefined) throw invalidField('query.flow', 'Field required', undefined);
    },
    ({ query }) => windowOf(query),
    ({ query }) => checkScannedPage(SCANNED, isScanned(query), query),
  ],
  handler: async (request, stores: Stores) => {
    const { query, org, host } = request;
    const { page, per_page: perPage, attestation_id, attestation_type, flow, trail, fingerprint } = query;
    const type = attestation_type === undefined ? undefined : canonicalType(attestation_type);
    const filters = { attestation_id, type, flow, trail, fingerprint, window: windowOf(query) };
    const outputs = ({ records, flowName }: Pick<Selected, 'records' | 'flowName'>) =>
      attestationsOut(stores, records, { host, org, flowName });
    if (isScanned(query)) {
      const wanted = recordFilters(query);
      const parts = [attestation_id, type, flow, trail, fingerprint, query.start_ts, query.end_ts];
      const list = [org.id, 'attestations', JSON.stringify([parts, Object.values(wanted)])];
      const found = await findAttestations(stores, org, filters, wanted, {
        after: entryBefore(list, query),
        perPage,
      });
      return scannedAnswer(request, list, await outputs(found), found.next);
    }
    const selected = await selectAttestations(stores, org, filters, { page, perPage });
    const shown = { page, perPage, total: selected.total, items: await outputs(selected) };
    return pageAnswer(request, shown, dataPage(shown));
  },
});
