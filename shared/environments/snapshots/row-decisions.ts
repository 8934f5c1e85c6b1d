import { type Fingerprint, isKnownFingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import type { StoredDecision } from '#shared/controls/records/decisions.ts';
import type { ControlQuestion } from '#shared/controls/rules/decisions.ts';
import { type Owner, type Reading, readPresences } from '#shared/evidence/flow-verdicts.ts';
import { type ShownRow, shownDecisions } from './resolve-content.ts';

/** Most Queries about the decisions on artifacts and their latest trails (rules/reasons.md#bounds). */
const MOST_QUERIES = 200;
/** Most older trails of an artifact whose decisions are read. */
const OLDER_TRAILS = 5;

/**
 * Reads the decisions on controls that answered the rules of policies about rows, as they were when the snapshot was made
 * (rules/reasons.md#snapshots). Costs nothing if no policy names a control.
 *
 * @param rows in the order of their importance: those behind the limit have no decisions
 * @param at time of the snapshot
 * @returns decisions by fingerprint, the oldest first
 */
export async function readRowDecisions(
  reading: Reading,
  org: Owner,
  rows: readonly ShownRow[],
  at: Micros,
): Promise<ReadonlyMap<string, StoredDecision[]>> {
  const questions = new Map<string, ControlQuestion>();
  const asked = new Set<Fingerprint>();
  let queries = 0;
  for (const row of rows) {
    const own = questionsOf(row);
    if (own.length === 0 || !isKnownFingerprint(row.fingerprint) || asked.has(row.fingerprint)) continue;
    queries += own.length * (row.flows.length + 1);
    if (queries > MOST_QUERIES) break;
    asked.add(row.fingerprint);
    for (const question of own) questions.set(`${question.control} ${question.name}`, question);
  }
  if (asked.size === 0) return new Map();
  const presences = await readPresences(reading, org, asked);
  const asOf = { until: at, olderTrails: OLDER_TRAILS };
  return readControlDecisions(reading, org, presences, [...questions.values()], undefined, asOf);
}

const questionsOf = (row: ShownRow): ControlQuestion[] =>
  shownDecisions(row).flatMap(({ rule_evaluations: rules }) =>
    rules.flatMap(({ rule, ignored }) => {
      if (ignored || rule.type !== 'attestation' || rule.definition.for_control === null) return [];
      return [{ control: rule.definition.for_control, name: rule.definition.name }];
    }),
  );
