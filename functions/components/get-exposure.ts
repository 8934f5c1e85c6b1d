import * as z from 'zod';
import { earliestOf, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { ExposureNext, placeCursor, readPlaceCursor } from '#shared/components/builds/places.ts';
import { askExposure } from '#shared/exposure/ask-exposure.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { placeBefore } from '#shared/http/query-fields.ts';
import { ExposureOut, exposureOut } from './exposure-forms.ts';
import { questionOut } from './list-components.ts';
import {
  instantAndPage,
  instantIn,
  packageQuestionIn,
  questionFields,
  questionText,
  vulnerabilityField,
} from './question.ts';

/** GET /components/{org}/exposure: where artifacts that hold a component run and ran (rules/components.md#exposure). */
export const getExposure = endpoint({
  operation: 'getExposure',
  method: 'GET',
  path: '/components/{org}/exposure',
  summary: 'Get where a component runs',
  description:
    'Artifacts whose SBOM lists the package, with the environments in which they run and ran, and with what was said of them. The last pages have the artifacts that run without a readable SBOM: nobody knows whether they hold it. Send `next_cursor` as `cursor` to get the next page, until it is null.',
  access: 'reader',
  query: z.object({
    ...questionFields,
    ...vulnerabilityField,
    ...instantAndPage('Builds, or running artifacts without a readable SBOM,'),
  }),
  success: { 200: ExposureOut },
  uses: READ_BODIES,
  checks: [
    ({ query, refused }) => refused.has('purl') || refused.has('versions') || packageQuestionIn(query),
    ({ query, refused }, { clock }) => refused.has('at') || instantIn(query, clock.now()),
  ],
  handler: async (request, stores: Pick<Stores, 'table' | 'objects' | 'clock'>) => {
    const { org, query, host } = request;
    const question = packageQuestionIn(query);
    const now = stores.clock.now();
    const list = [org.id, 'exposure', questionText(query)];
    const before = placeBefore(query.cursor, (given) => readPlaceCursor(list, given, ExposureNext));
    const asOf = before ? earliestOf(before.asOf, now) : instantIn(query, now);
    const page = await askExposure(stores, org.id, question, asOf, {
      place: before?.place,
      limit: query.per_page,
      vulnerability: query.vulnerability,
    });
    const following = page.next && placeCursor(list, { asOf, place: page.next });
    return {
      status: 200,
      headers: cursorHeaders(request, following),
      body: {
        question: {
          ...questionOut(query, question.package, toSeconds(asOf)),
          vulnerability: query.vulnerability ?? null,
        },
        ...exposureOut(page, { host, org: org.name }),
        next_cursor: following,
      },
    };
  },
});
