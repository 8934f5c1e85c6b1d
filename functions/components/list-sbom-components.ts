import * as z from 'zod';
import { AttestationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { ComponentPlace, placeCursor, readPlaceCursor } from '#shared/components/builds/places.ts';
import { listComponents as list } from '#shared/components/list-components.ts';
import { sbomNotFound } from '#shared/components/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, integerField, placeBefore } from '#shared/http/query-fields.ts';

const PAGE = { size: 100, largest: 1_000 };

/** GET /components/{org}/sboms/{attestation_id}: what an SBOM lists (rules/components.md#components-of-an-sbom). */
export const listSbomComponents = endpoint({
  operation: 'listSbomComponents',
  method: 'GET',
  path: '/components/{org}/sboms/{attestation_id}',
  summary: 'List the components of an SBOM',
  description: 'The components in canonical order: two SBOMs with the same components give equal lists.',
  access: 'reader',
  query: z.object({
    cursor: cursorFields('Components').cursor,
    per_page: integerField({ min: 1, max: PAGE.largest })
      .default(PAGE.size)
      .meta({ description: 'Components on a page', override: { default: PAGE.size } }),
  }),
  success: {
    200: z
      .object({
        format: z.string().nullable().describe('Format of the SBOM, such as `cyclonedx-1.6`'),
        total: z.int().describe('Number of its components'),
        components: z
          .array(
            z.object({
              purl: z.string().nullable().describe('Package URL as the SBOM has it; null without one'),
              name: z.string().describe('Name of the component'),
              version: z.string().nullable().describe('Version of the component; null without one'),
              digests: z.record(z.string(), z.string()).describe('Digests in hex, by algorithm'),
              depth: z
                .enum(['direct', 'deeper'])
                .nullable()
                .describe('Whether the subject of the SBOM depends on it; null if the SBOM does not say it'),
            }),
          )
          .describe('The components of the page'),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'SbomComponents' }),
  },
  errors: [sbomNotFound],
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { org, params, query } = request;
    const id = AttestationId.parse(params.attestation_id);
    const cursors = [org.id, 'sbom-components', id];
    const place = placeBefore(query.cursor, (given) => readPlaceCursor(cursors, given, ComponentPlace));
    const { next, components, ...shown } = await list(stores, org.id, id, {
      from: place?.from ?? 0,
      limit: query.per_page,
    });
    const following = next === null ? null : placeCursor(cursors, { from: next });
    return {
      status: 200,
      headers: cursorHeaders(request, following),
      body: { ...shown, components: [...components], next_cursor: following },
    };
  },
});
