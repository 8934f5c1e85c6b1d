import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { RENAME_ENVIRONMENT, renameEnvironment as rename } from '#shared/environments/settings/rename-environment.ts';
import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';

const Rename = z.object({ new_name: EnvironmentName.describe('The new name') }).meta({ id: 'EnvironmentRename' });

/** PUT /environments/{org}/{env_name}/rename (rules/environments.md#rename). */
export const renameEnvironment = endpoint({
  operation: 'renameEnvironment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/rename',
  summary: 'Rename an environment',
  description: 'It stays reachable under its old name until another environment takes it.',
  access: 'member',
  body: { kind: 'json', schema: Rename },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: RENAME_ENVIRONMENT,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerOk(request, (by) => rename(stores, by, request.params.env_name, request.body.new_name)),
});
