import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import {
  ARCHIVE_ENVIRONMENT,
  archiveEnvironment as archive,
} from '#shared/environments/settings/archive-environment.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';

/** PUT /environments/{org}/{env_name}/archive: takes an environment out of the lists (rules/environments.md#archive). */
export const archiveEnvironment = endpoint({
  operation: 'archiveEnvironment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/archive',
  summary: 'Archive an environment',
  description:
    'The environment leaves logical environments and loses its policies. Notifications that name no other environment are deleted. Its name becomes free. Its snapshots are kept.',
  access: 'member',
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: ARCHIVE_ENVIRONMENT,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerOk(request, (by) => archive(stores, by, request.params.env_name)),
});
