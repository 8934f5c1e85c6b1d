import * as z from 'zod';
import { type Id, OrganizationId } from '#shared/base/ids.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import { Requests } from '#shared/queues/requests.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { readEvaluationPartition } from './records/keys.ts';

/** A message to the evaluator: an evaluation with work left (rules/evaluations.md#messages). */
export const EvaluationMessage = z.object({ org: OrganizationId, id: z.string(), requests: Requests });

/** Addresses an evaluation to the evaluator, which evaluates it once, however often it gets the message. */
export const evaluationMessage = (org: OrganizationId, id: Id, requests: readonly string[] = []): QueueMessage => ({
  body: { org, id, requests },
  group: org,
});

/**
 * Reads an evaluation that an endpoint requested; null for other items. Only the request writes an evaluation as pending.
 * Later writes store how the evaluation ended.
 */
export const readRequestedEvaluation = (streamed: StreamItem): { org: OrganizationId; id: Id } | null =>
  streamed.text('status') === 'pending' ? readEvaluationPartition(streamed.pk) : null;
