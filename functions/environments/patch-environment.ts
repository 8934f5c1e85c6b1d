import * as z from 'zod';
import { allInOrder } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import { presentEnvironmentRecord } from '#shared/environments/present-environment.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { appendingAnswer, ok } from '#shared/http/written.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { CHANGE_SETTINGS, changeSettings } from './change-settings.ts';
import { resolveMembers, resolvePolicies, settingsFields } from './settings.ts';

const EnvironmentChange = z
  .strictObject({
    ...settingsFields,
    description: z.string().nullish().meta({ description: 'An empty text clears it' }),
  })
  .meta({ id: 'EnvironmentPatchInput' });

/** PATCH /environments/{org}/{env_name}: absent and null fields stay unchanged (rules/environments.md#patch). */
export const patchEnvironment = endpoint({
  operation: 'patchEnvironment',
  method: 'PATCH',
  path: '/environments/{org}/{env_name}',
  summary: 'Change settings of an environment',
  access: 'member',
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: EnvironmentChange },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment, unknownPolicy],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: CHANGE_SETTINGS,
  handler: async (request, services) => {
    const { params, body, org, idempotency } = request;
    const { table, objects, clock } = services;
    const { claim, written } = appendingAnswer(ok(200), idempotency, () => clock.now());
    const outcome = await retrying(async () => {
      const environment = await presentEnvironmentRecord(table, objects, org, params.env_name);
      const [members, policies] = await allInOrder([
        resolveMembers(table, org, environment.head.kind, body.included_environments),
        resolvePolicies(table, org, body.policies),
      ]);
      const facts = body.description == null ? {} : { description: body.description };
      return changeSettings(request, environment, { facts, members, policies }, services, claim);
    });
    return written(outcome);
  },
});
