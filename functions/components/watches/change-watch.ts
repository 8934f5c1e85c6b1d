import * as z from 'zod';
import { fromSeconds } from '#shared/base/time.ts';
import { noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { packageQuestion } from '#shared/components/rules/question.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { DELETE_WATCH, deleteWatch as remove } from '#shared/watches/delete-watch.ts';
import { type GivenWatch, PUT_WATCH, putWatch as put, type WatchPut } from '#shared/watches/put-watch.ts';
import { tooManyWatches, unknownWatch } from '#shared/watches/rules/sentences.ts';
import { WatchName } from '#shared/watches/rules/watch.ts';
import { SavedWatchOut, savedWatchOut, WatchRequest } from './watch-forms.ts';

type Body = z.output<typeof WatchRequest>;

/** Refuses a body whose question cannot be read, and a note about nothing. @throws ServiceError 400 with the fields */
function requireQuestion({ purl, versions, known_since: since, known_note: note }: Body): void {
  const read = packageQuestion(purl, versions ?? undefined);
  const errors = 'errors' in read ? read.errors : noErrors();
  if (typeof note === 'string' && typeof since !== 'number') {
    errors['known_note'] = withInput('A note belongs to known_since, which is missing', note);
  }
  refuseIfAny(errors);
}

/** PUT /watches/{org}/{name}: creates a watch or changes it (rules/watches.md#save). */
export const putWatch = endpoint({
  operation: 'putWatch',
  method: 'PUT',
  path: '/watches/{org}/{name}',
  summary: 'Create a watch, or update it',
  description:
    'Asks for a component: in everything that is in the index, in each new SBOM, and in each artifact that starts in an environment. The first match and the first match in each environment fire `ON_EXPOSURE`. The question of a watch never changes.',
  access: 'member',
  params: z.object({ org: z.string(), name: WatchName }),
  body: { kind: 'json', schema: WatchRequest },
  success: { 200: SavedWatchOut, 201: SavedWatchOut },
  makes: { at: '/watches/{org}/{name}', id: 'name' },
  errors: [tooManyWatches],
  uses: PUT_WATCH,
  checks: [({ body }) => body && requireQuestion(body)],
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { name } = request.params;
    return answerWrite(
      request,
      (by) => put(stores, by, givenWatch(name, request.body)),
      ({ isNew, watch }: WatchPut) => ({
        status: isNew ? 201 : 200,
        body: savedWatchOut(watch),
        made: { name },
      }),
    );
  },
});

function givenWatch(name: string, body: Body): GivenWatch {
  const { purl, versions = null, vulnerability = null, description = null } = body;
  const { known_since: since, known_note: note = null } = body;
  const known = typeof since === 'number' ? { at: fromSeconds(since), note } : since;
  return { name, purl, versions, vulnerability, description, known };
}

/** DELETE /watches/{org}/{name}: removes a watch (rules/watches.md#delete). */
export const deleteWatch = endpoint({
  operation: 'deleteWatch',
  method: 'DELETE',
  path: '/watches/{org}/{name}',
  summary: 'Delete a watch',
  description:
    'Nobody asks its question any more, and the name is free again. Exports and the audit log keep what it matched.',
  access: 'member',
  success: { 200: z.literal('OK') },
  errors: [unknownWatch],
  uses: DELETE_WATCH,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => remove(stores, by, request.params.name),
      () => ok(200),
    ),
});
