import * as z from 'zod';
import { earliestOf, type Micros, toSeconds } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { ExposureNext, placeCursor, readPlaceCursor } from '#shared/components/builds/places.ts';
import type { Asked, PackageQuestion } from '#shared/components/rules/question.ts';
import { askExposure, type ExposurePage } from '#shared/exposure/ask-exposure.ts';
import { readExposure } from '#shared/exposure/read-exposure.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { placeBefore } from '#shared/http/query-fields.ts';
import type { Request } from '#shared/http/request.ts';
import { exposureCsv } from './exposure-csv.ts';
import { ExposureOut, exposureOut } from './exposure-forms.ts';
import { exposureReport, ReportOut } from './exposure-report.ts';
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
    'Artifacts whose SBOM lists the package, with the environments in which they run and ran, and with what was said of them. The last pages have the artifacts that run without a readable SBOM: nobody knows whether they hold it. Send `next_cursor` as `cursor` to get the next page, until it is null. With `format`, the answer is whole.',
  access: 'reader',
  query: z.object({
    ...questionFields,
    ...vulnerabilityField,
    ...instantAndPage('Builds, or running artifacts without a readable SBOM,'),
    format: z.enum(['csv', 'report']).optional().meta({
      description:
        'The whole answer in one: `csv` as a table, `report` with what the forms of authorities ask for. `per_page` does not matter then',
    }),
  }),
  success: { 200: ExposureOut },
  successAs: {
    csv: { 200: z.string().describe('A line for each artifact and environment') },
    report: { 200: ReportOut },
  },
  uses: READ_BODIES,
  checks: [
    ({ query, refused }) => refused.has('purl') || refused.has('versions') || packageQuestionIn(query),
    ({ query, refused }, { clock }) => refused.has('at') || instantIn(query, clock.now()),
    ({ query }) => query.format === undefined || query.cursor === undefined || refuseCursor(query.cursor),
  ],
  handler: async (request, stores: Services) => {
    const question = packageQuestionIn(request.query);
    const { format } = request.query;
    return format === undefined ? pageOf(request, stores, question) : wholeOf(request, stores, question, format);
  },
});

type Services = Pick<Stores, 'table' | 'objects' | 'clock'>;
type Query = Asked & {
  at?: number | undefined;
  cursor?: string | undefined;
  per_page: number;
  vulnerability?: string | undefined;
};
type Asking = Pick<Request<unknown, Query>, 'org' | 'host' | 'path' | 'query' | 'rawQuery'>;

async function pageOf(request: Asking, stores: Services, question: PackageQuestion) {
  const { org, query, host } = request;
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
    status: 200 as const,
    headers: cursorHeaders(request, following),
    body: {
      question: exposureQuestionOut(query, question, asOf),
      ...exposureOut(page, { host, org: org.name }),
      next_cursor: following,
    },
  };
}

/** Pages of a whole answer, and builds or running artifacts of each. */
const WHOLE = { pages: 10, limit: 100 };
const TOO_LONG = `The answer has more than ${WHOLE.pages} pages of ${WHOLE.limit}. Ask for fewer versions, or read it page by page without format`;

/** @throws ServiceError 400 if the answer has more pages than one request reads */
async function wholeOf(request: Asking, stores: Services, question: PackageQuestion, format: 'csv' | 'report') {
  const { org, query, host } = request;
  const asOf = instantIn(query, stores.clock.now());
  const { vulnerability } = query;
  const page = await readExposure(stores, org.id, question, asOf, { ...WHOLE, vulnerability });
  if (page.next !== null) throw invalidField('query.format', TOO_LONG, format);
  const lists = exposureOut(page, { host, org: org.name });
  if (format === 'csv') return { status: 200, form: format, body: exposureCsv(lists) };
  const body = exposureReport({ question: exposureQuestionOut(query, question, asOf), ...lists }, firstSaid(page));
  return { status: 200, form: format, body };
}

/** When the first statement about a row arrived; null without any. */
const firstSaid = ({ affected, notAffected, undecided }: ExposurePage): Micros | null =>
  [...affected, ...notAffected, ...undecided]
    .flatMap(({ statements }) => statements.map(({ at }) => at))
    .reduce<Micros | null>((first, at) => (first === null ? at : earliestOf(first, at)), null);

function refuseCursor(cursor: string): never {
  throw invalidField('query.cursor', 'Leave it out: with format the answer is whole', cursor);
}

const exposureQuestionOut = (query: Query, question: PackageQuestion, asOf: Micros) => ({
  ...questionOut(query, question.package, toSeconds(asOf)),
  vulnerability: query.vulnerability ?? null,
});
