import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { CHANGE_RECALL, putRecall as put, deleteRecall as remove } from '#shared/signers/change-recall.ts';
import type { RecallRecord } from '#shared/signers/rules/recall-records.ts';
import { SignerName } from '#shared/signers/rules/records.ts';
import { tooManyRecalls, unknownRecall } from '#shared/signers/rules/sentences.ts';
import type { Saved } from '#shared/signers/save-version.ts';
import { RecallOut, RecallRequest, recallOf, recallOut } from './recall-forms.ts';

/** PUT /recalls/{org}/{name}: recalls evidence, or changes a recall (rules/verified-evidence.md#recalls). */
export const putRecall = endpoint({
  operation: 'putRecall',
  method: 'PUT',
  path: '/recalls/{org}/{name}',
  summary: 'Recall evidence, or change a recall',
  description:
    'Says which signatures are recalled, and why. From now on verdicts are computed without the evidence that they brought. A request that changes something makes a version, which no later request changes.',
  access: 'admin',
  params: z.object({ org: z.string(), name: SignerName }),
  body: { kind: 'json', schema: RecallRequest },
  success: { 200: RecallOut, 201: RecallOut },
  makes: { at: '/recalls/{org}/{name}', id: 'name' },
  errors: [tooManyRecalls],
  uses: CHANGE_RECALL,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { name } = request.params;
    return answerWrite(
      request,
      (by) => put(stores, by, { name, ...recallOf(request.body) }),
      ({ isNew, record }: Saved<RecallRecord>) => ({
        status: isNew ? 201 : 200,
        body: recallOut(record),
        made: { name },
      }),
    );
  },
});

/** DELETE /recalls/{org}/{name}: adds a deleted version (rules/verified-evidence.md#recalls). */
export const deleteRecall = endpoint({
  operation: 'deleteRecall',
  method: 'DELETE',
  path: '/recalls/{org}/{name}',
  summary: 'Delete a recall',
  description: 'The evidence counts again. The versions of the recall stay.',
  access: 'admin',
  success: { 200: RecallOut },
  errors: [unknownRecall],
  uses: CHANGE_RECALL,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => remove(stores, by, request.params.name),
      ({ record }: Saved<RecallRecord>) => ({ status: 200, body: recallOut(record) }),
    ),
});
