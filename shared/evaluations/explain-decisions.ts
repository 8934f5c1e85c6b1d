import { isId } from '#shared/base/ids.ts';
import type { ReadEvaluationsOf } from '#shared/reasons/read-seen.ts';
import { DecidingLine } from './deciding-line.ts';
import { decisionIdOf, readEvaluations, readResult } from './records/evaluations.ts';

/** Most evaluations that are read for one answer. */
const MOST = 50;

/**
 * Reads what evaluations denied or allowed, for chains of reasons (rules/reasons.md#evaluations). The engine does not run: the answer
 * is what the evaluation stored.
 */
export const evaluationsOf: ReadEvaluationsOf = async ({ table, objects }, org, named) => {
  if (named.length === 0) return new Map();
  const ids = [...new Set(named.map(({ evaluation }) => evaluation))].filter(isId).slice(0, MOST);
  const records = new Map((await readEvaluations(table, org, ids)).map((record) => [record.id, record]));
  const read = await Promise.all(
    named.map(async ({ evaluation, decision, deniedAt }) => {
      const record = records.get(evaluation);
      // Anybody may report a decision that names an evaluation. Only the evaluation itself knows the id of its decision.
      if (!record || record.allow === null || decisionIdOf(record) !== decision) return [];
      const result = await readResult(objects, org, record);
      const { id, allow } = record;
      // Decisions of earlier releases have no line.
      const line = DecidingLine.safeParse(deniedAt);
      return [[decision, { id, allow, violations: result?.violations ?? [], decided: line.data ?? null }] as const];
    }),
  );
  return new Map(read.flat());
};
