import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, instantSequence, keyIn } from '#shared/table/keys.ts';

export const evaluationKey = (org: OrganizationId, id: Id): Key => keyIn(family(org, 'EVALUATION', id), 'RECORD');
/** Reads organization and id from the partition of {@link evaluationKey}. Returns null for every other partition. */
export const readEvaluationPartition = (pk: PartitionKey): { org: OrganizationId; id: Id } | null => {
  const [org = '', name, id = ''] = pk.split('#');
  return name === 'EVALUATION' ? { org: storedId(org), id } : null;
};
/** The evaluations of all organizations that have work left, by the time from which the sweep picks them up. */
export const pendingEvaluations = directory('@EVALUATING');
export const pendingEvaluationKey = (due: Micros, org: OrganizationId, id: Id): Key =>
  keyIn(pendingEvaluations, [instantSequence(due), org, id].join('#'));
