import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { readCase } from '#shared/watches/case/read-case.ts';
import { unknownWatch } from '#shared/watches/rules/sentences.ts';
import { CaseOut, caseOut } from './case-forms.ts';

/** GET /watches/{org}/{name}/case: since when the organization knows, and what happened (rules/watches.md#case). */
export const getWatchCase = endpoint({
  operation: 'getWatchCase',
  method: 'GET',
  path: '/watches/{org}/{name}/case',
  summary: 'Get the case of a watch',
  description:
    'Since when the organization knows of the component, when it matched, who was told, where affected artifacts ran, which builds are fixed, and when the last affected artifact stopped.',
  access: 'reader',
  success: { 200: CaseOut },
  errors: [unknownWatch],
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects' | 'clock'>) => ({
    status: 200,
    body: caseOut(await readCase(stores, request.org, request.params.name)),
  }),
});
