import * as z from 'zod';
import { withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { changeTags, TAG_RESOURCE, type TaggedKind } from '#shared/environments/tags/change-tags.ts';
import { unknownFlow, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';
import { TagChange } from '#shared/series/tags.ts';

/** Spellings in the path. Controls have a separate path, because their tags need another role. */
const KINDS = {
  flow: 'flow',
  flows: 'flow',
  env: 'environment',
  environment: 'environment',
  environments: 'environment',
  repo: 'repo',
  repos: 'repo',
} as const satisfies Record<string, TaggedKind>;
// `Object.keys` forgets which keys the object has.
const SPELLINGS = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** PATCH /tags/{org}/{resource_type}/{resource_id}: tags of flows, environments and repositories (rules/tags.md#resource-types). */
export const tagResource = endpoint({
  operation: 'tagResource',
  method: 'PATCH',
  path: '/tags/{org}/{resource_type}/{resource_id}',
  summary: 'Set and remove tags of a flow, an environment or a repository',
  description: '`resource_id` is the name of a flow or an environment, or the internal id of a repository.',
  access: 'member',
  params: z.object({
    org: z.string(),
    resource_type: z.enum(SPELLINGS, {
      error: ({ input }) =>
        withInput(`Input should be ${SPELLINGS.map((one) => `'${one}'`).join(', ')}, 'control' or 'controls'`, input),
    }),
    resource_id: z.string(),
  }),
  body: { kind: 'json', schema: TagChange, optional: true },
  success: { 200: z.literal('OK') },
  errors: [unknownFlow, unknownEnvironment, archivedEnvironment, unknownRepo],
  uses: TAG_RESOURCE,
  handler: async (request, stores: Pick<Stores, 'table'>) =>
    answerOk(request, (by) =>
      changeTags(stores, by, KINDS[request.params.resource_type], request.params.resource_id, request.body),
    ),
});
