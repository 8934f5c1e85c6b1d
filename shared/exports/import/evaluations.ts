import * as z from 'zod';
import { newEvaluationWrites } from '#shared/evaluations/records/evaluation-writes.ts';
import {
  EVALUATIONS,
  type EvaluationRecord,
  EvaluationRecord as Stored,
} from '#shared/evaluations/records/evaluations.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { entryWrite } from '#shared/series/series.ts';
import type { Item } from '#shared/table/table.ts';
import { type ImportFamily, lineFamily } from './family.ts';
import { entryId, Hex, putsOf, type Restoring, restoredBody, ShownBody } from './restored.ts';
import type { ImportLine } from './source.ts';

const Line = Stored.omit({ pledges: true }).extend({
  context: ShownBody,
  policy: ShownBody,
  params: ShownBody.nullable(),
  result: ShownBody.nullable(),
  input: ShownBody.nullable(),
  salts: z.record(z.string(), Hex).default({}),
  commitments: z.record(z.string(), Hex),
});

async function evaluationItems(restoring: Restoring, line: ImportLine): Promise<Item[]> {
  const { commitments: pledges, context, policy, params, result, input, ...rest } = Line.parse(line);
  const items: Item[] = [];
  const restored = async (shown: ShownBody) => {
    const { body, items: uses } = await restoredBody(restoring, shown, `evaluation:${rest.id}`);
    items.push(...uses);
    return body;
  };
  const record: EvaluationRecord = {
    ...rest,
    pledges,
    context: await restored(context),
    policy: await restored(policy),
    params: params && (await restored(params)),
    result: result && (await restored(result)),
    input: input && (await restored(input)),
  };
  const { org } = restoring;
  const entry = entryId(record.requested, record.id);
  // The evaluator of the region ends an evaluation that waits, as one that is overdue if its time is over.
  if (record.status === 'pending') return [...putsOf(newEvaluationWrites(org, record, entry, [])), ...items];
  const listed = putsOf([entryWrite(org, EVALUATIONS, entry, { r: record.id })]);
  return [{ ...evaluationKey(org, record.id), v: 1, ...record }, ...listed, ...items];
}

/** Evaluations with their texts. */
export const EVALUATION_FAMILIES: readonly ImportFamily[] = [
  lineFamily('evaluations', { evaluation: evaluationItems }),
];
