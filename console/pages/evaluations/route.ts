import { evaluations } from '../../client/evaluations.ts';
import { read } from '../../client/query-client.ts';
import { pageNumber } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const readEvaluations = (org: string, page = 1) => read(evaluations, { org }, { page, per_page: 50 });

export const evaluationsRoute = route({
  name: 'evaluations',
  search: { page: pageNumber },
  reads: ({ org }, { page }) => [readEvaluations(org, page)],
});
