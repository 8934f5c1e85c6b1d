import * as z from 'zod';
import { acrossFields, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { EnvironmentKindField, REPORT_KINDS } from '#shared/environments/rules/environment-kinds.ts';
import { ONLY_LOGICAL } from '#shared/environments/rules/members.ts';
import { PUT_ENVIRONMENT, putEnvironment as put } from '#shared/environments/settings/put-environment.ts';
import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, okAppending } from '#shared/http/written.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { settingsFields } from './settings.ts';

const EnvironmentReport = z
  .strictObject({
    name: EnvironmentName.describe('Name of the environment. An existing environment of this name is updated'),
    type: EnvironmentKindField,
    ...settingsFields,
    description: z.string().nullish().meta({ description: 'An empty text leaves the present one' }),
    require_provenance: z
      .boolean()
      .nullish()
      .meta({ deprecated: true, description: 'Stored and shown, without effect' }),
  })
  .check(
    acrossFields(({ type, included_environments: names }, refuse) => {
      const takesReports = REPORT_KINDS.some((kind) => kind === type);
      if (takesReports && Array.isArray(names) && names.length > 0) {
        refuse('included_environments', withInput(ONLY_LOGICAL, names));
      }
    }),
  )
  .meta({
    id: 'CreateEnvironmentPutInput',
    anyOf: [
      { properties: { type: { const: 'logical' } } },
      { properties: { included_environments: { type: ['array', 'null'], maxItems: 0 } } },
    ],
  });
/** PUT /environments/{org}: creates an environment or updates it (rules/environments.md#create-or-update). */
export const putEnvironment = endpoint({
  operation: 'putEnvironment',
  method: 'PUT',
  path: '/environments/{org}',
  summary: 'Create an environment, or update it',
  description: 'Absent and null fields stay unchanged. The type of an environment never changes.',
  access: 'snapshotter',
  row: 4,
  body: { kind: 'json', schema: EnvironmentReport },
  success: { 201: z.literal('OK') },
  makes: { at: '/environments/{org}/{env_name}', id: 'env_name' },
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  errors: [unknownPolicy],
  uses: PUT_ENVIRONMENT,
  handler: async (request, stores: Stores) => {
    const { name, type: kind, description, require_provenance: requireProvenance, ...names } = request.body;
    const given = { description, requireProvenance, members: names.included_environments, policies: names.policies };
    return answerWrite(
      request,
      (by) => put(stores, by, { name, kind, ...given }),
      okAppending(201, { env_name: name }),
    );
  },
});
