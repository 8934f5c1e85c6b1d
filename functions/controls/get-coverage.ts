import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { getControlCoverage } from '#shared/environments/get-control-coverage.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { booleanField, pageFields } from '#shared/http/query-fields.ts';

const CoveredOut = z
  .object({
    name: z.string().describe('Name of the environment'),
    type: z.string().describe('Type of the environment'),
    covered: z.boolean().describe('Whether an attached policy names the control'),
    policies: z.array(z.string()).meta({ description: 'Attached policies that name the control' }),
  })
  .meta({ id: 'ControlCoverageOfEnvironment' });

const CoverageOut = flatPageSchema('environments', CoveredOut, 'The environments of the page, covered or not')
  .extend({
    total: z.int().describe('Number of environments'),
    covered: z.int().describe('Number of covered environments'),
    coverage_percent: z.number().describe('Covered environments in percent of all'),
  })
  .meta({ id: 'ControlCoverage' });

/**
 * GET /controls/{org}/{identifier}/coverage: the environments with an attached policy that names the control. Whether the
 * environments comply does not matter (rules/controls.md#coverage).
 */
export const getCoverage = endpoint({
  operation: 'getControlCoverage',
  method: 'GET',
  path: '/controls/{org}/{identifier}/coverage',
  summary: 'List the environments and whether a control covers them',
  description:
    '`total`, `covered` and `coverage_percent` count all environments that are not archived. The page holds the environments that match the query.',
  access: 'reader',
  feature: 'controls',
  query: z.object({
    ...pageFields({ perPage: 15 }),
    covered: booleanField().optional().meta({ description: 'Only covered environments, or only the others' }),
    name: z.string().default('').meta({ description: 'Only environments whose name contains this text' }),
  }),
  success: { 200: CoverageOut },
  errors: [unknownControl],
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { params, query, org } = request;
    const environments = await getControlCoverage(stores, org, params.identifier);
    const all = environments.map(({ name, kind, policies }) => {
      return { name, type: kind, covered: policies.length > 0, policies };
    });
    const covered = all.filter((environment) => environment.covered).length;
    const text = query.name.toLowerCase();
    const wanted = all.filter(
      (environment) =>
        (query.covered === undefined || environment.covered === query.covered) &&
        environment.name.toLowerCase().includes(text),
    );
    const { page, per_page: perPage } = query;
    const items = wanted.slice((page - 1) * perPage, page * perPage);
    const shown = { page, perPage, total: wanted.length, items };
    return pageAnswer(request, shown, {
      total: all.length,
      covered,
      coverage_percent: all.length === 0 ? 0 : (100 * covered) / all.length,
      ...flatPage('environments', request, shown),
    });
  },
});
