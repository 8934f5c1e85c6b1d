import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listBuilds } from '#shared/components/builds/list-builds.ts';
import {
  HolderPlace,
  packageCursor,
  placeCursor,
  readPackageCursor,
  readPlaceCursor,
} from '#shared/components/builds/places.ts';
import type { NameQuestion, PackageQuestion } from '#shared/components/rules/question.ts';
import { searchComponents } from '#shared/components/search-components.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { placeBefore } from '#shared/http/query-fields.ts';
import type { Request } from '#shared/http/request.ts';
import { ArtifactOut, artifactOut, QuestionOut, SbomOut, sbomOut } from './component-forms.ts';
import { instantAndPage, instantIn, questionFields, questionIn, questionText } from './question.ts';

/** Packages on a page of a search. */
const PACKAGES = 20;

const Query = z.object({
  ...questionFields,
  name: z
    .string()
    .optional()
    .meta({
      description: 'Searches packages by the begin of their names, at least two characters, in upper or lower case',
      examples: ['lodash'],
    }),
  ...instantAndPage('Builds'),
});
type Query = z.output<typeof Query>;

const BuildsOut = z
  .object({
    question: QuestionOut.describe('What was asked'),
    builds: z
      .array(SbomOut.extend({ artifacts: z.array(ArtifactOut).describe('The artifacts for which the SBOM counts') }))
      .describe('SBOMs that list the package. A page can be short or empty and still have a next one'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
  })
  .meta({ id: 'ComponentBuilds' });

const PackagesOut = z
  .object({
    packages: z
      .array(
        z.object({
          package: z.string().nullable().describe('Package URL without a version; null for components without one'),
          name: z.string().describe('The last part of the name'),
        }),
      )
      .describe('Packages whose names begin with the text, by name'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
  })
  .meta({ id: 'ComponentPackages' });

type Asked = Pick<Request<unknown, Query>, 'org' | 'host' | 'path' | 'query' | 'rawQuery'>;

/** GET /components/{org}: packages by name, or the builds that hold one (rules/components.md#builds). */
export const listComponents = endpoint({
  operation: 'listComponents',
  method: 'GET',
  path: '/components/{org}',
  summary: 'Search packages, or list the builds that hold one',
  description:
    'Send either `name`, to find packages in SBOMs, or `purl`, for the SBOMs that list the package and count at the instant. Send `next_cursor` as `cursor` to get the next page.',
  access: 'reader',
  query: Query,
  success: { 200: z.union([BuildsOut, PackagesOut]) },
  checks: [
    ({ query, refused }) => ['purl', 'versions', 'name'].some((field) => refused.has(field)) || questionIn(query),
    ({ query, refused }, { clock }) => refused.has('at') || instantIn(query, clock.now()),
  ],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const question = questionIn(request.query);
    return question.kind === 'package'
      ? buildsPage(request, stores, question)
      : packagesPage(request, stores, question);
  },
});

async function packagesPage(request: Asked, stores: Pick<Stores, 'table'>, { name }: NameQuestion) {
  const { org, query } = request;
  const list = [org.id, 'packages', name];
  const after = placeBefore(query.cursor, (given) => readPackageCursor(list, given));
  const { packages, next } = await searchComponents(stores, org.id, name, {
    after,
    limit: Math.min(PACKAGES, query.per_page),
  });
  const following = next && packageCursor(list, next);
  return {
    status: 200 as const,
    headers: cursorHeaders(request, following),
    body: {
      packages: packages.map(({ package: purl, name: last }) => ({ package: purl, name: last })),
      next_cursor: following,
    },
  };
}

async function buildsPage(request: Asked, stores: Pick<Stores, 'table' | 'clock'>, question: PackageQuestion) {
  const { org, query, host } = request;
  const asOf = instantIn(query, stores.clock.now());
  const list = [org.id, 'component-builds', questionText(query)];
  const place = placeBefore(query.cursor, (given) => readPlaceCursor(list, given, HolderPlace));
  const { builds, next } = await listBuilds(stores, org.id, question, asOf, { place, limit: query.per_page });
  const following = next && placeCursor(list, next);
  return {
    status: 200 as const,
    headers: cursorHeaders(request, following),
    body: {
      question: questionOut(query, question.package, toSeconds(asOf)),
      builds: builds.map((build) => ({
        ...sbomOut(build, { host, org: org.name }),
        artifacts: build.artifacts.map(artifactOut),
      })),
      next_cursor: following,
    },
  };
}

export const questionOut = (
  { purl = '', versions }: Pick<Query, 'purl' | 'versions'>,
  text: string,
  asOf: number,
): z.input<typeof QuestionOut> => ({ package: text, purl, versions: versions ?? null, as_of: asOf });
