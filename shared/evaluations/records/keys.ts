import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { family, instantSequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/** Keys of server-side evaluations; `evaluation-patterns.ts` says what they answer. */

export const evaluationKey = (org: OrganizationId, id: Id): Key => ({
  pk: family(org, 'EVALUATION', id),
  sk: 'RECORD',
});
/** What {@link evaluationKey} was made from; null for every other partition. */
export const readEvaluationPartition = (pk: string): { org: OrganizationId; id: Id } | null => {
  const [org = '', name, id = ''] = pk.split('#');
  return name === 'EVALUATION' ? { org: storedId(org), id } : null;
};
/** Evaluations that somebody still has to work on, over all organizations, by the time of their next look. */
export const pendingEvaluations = '@EVALUATING';
export const pendingEvaluationKey = (due: Micros, org: OrganizationId, id: Id): Key => ({
  pk: pendingEvaluations,
  sk: [instantSequence(due), org, id].join('#'),
});
