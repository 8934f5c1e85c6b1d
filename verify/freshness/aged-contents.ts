import * as z from 'zod';
import { type Fingerprint, isKnownFingerprint, type TrailId } from '#shared/base/ids.ts';
import { readDuration } from '#shared/base/texts/durations.ts';
import type { Micros } from '#shared/base/time.ts';
import { isRunning, RowFlow, SnapshotRow } from '#shared/environments/rules/content.ts';
import { type RuleOutcome, readOutcomes } from '#shared/policies/rules/results.ts';
import { Fault } from '../fault.ts';
import { fitting, parsed } from '../records/lines.ts';
import type { AgedRule } from './aged-slots.ts';

/** A rule of a content, as far as its age matters. */
const Rule = z.object({
  type: z.string(),
  definition: z.object({
    name: z.string().optional(),
    type: z.string().optional(),
    must_be_compliant: z.boolean().optional(),
    for_control: z.string().nullish(),
    max_age: z.string().optional(),
    reported_by: z.unknown().optional(),
    signed_by: z.unknown().optional(),
    grade: z.unknown().optional(),
  }),
});

/** The parts of the stored text of a content that say what policies decided (rules/environments.md#content). */
const Content = z.object({
  rules: z.array(Rule).default([]),
  judges: z
    .array(z.object({ policy_name: z.string(), at: z.int().brand<'Micros'>().optional(), rules: z.array(z.int()) }))
    .default([]),
  results: z.array(z.tuple([z.int()], z.string())).default([]),
  rows: z.array(
    SnapshotRow.pick({ name: true, fingerprint: true, annotation: true, allowed: true }).extend({
      flows: z.array(RowFlow.pick({ name: true, trail: true, trailName: true })),
      /** Contents of the first releases have objects here. No rule of them limits ages. */
      evaluations: z.array(z.unknown()),
    }),
  ),
});

/** What a policy decided by a rule with `max_age` about an artifact in one flow. */
export interface AgedResult {
  /** Names policy, rule, artifact and trail for faults. */
  text: string;
  trail: TrailId;
  fingerprint: Fingerprint;
  /** Null for a rule about a control: its decisions are of the whole organization, and are not looked for again. */
  rule: AgedRule | null;
  allowed: number;
  outcome: RuleOutcome;
  /** The instant of the evaluation. */
  at: Micros;
  /** Whether the artifact was on the allow-list, so that no age counts. */
  isAllowed: boolean;
}

/** Returns what was decided by ages about the artifacts that run in the content of a snapshot. @throws Fault */
export function agedResults(place: string, text: string): AgedResult[] {
  const { rules, judges, results, rows } = fitting(place, Content, parsed(place, text, 'text of the body'));
  const at = <T>(values: readonly T[], index: unknown): T => {
    const value = typeof index === 'number' ? values[index] : undefined;
    if (value === undefined) throw new Fault(place, `the content names part ${index} of ${values.length}`);
    return value;
  };
  const isAged = (index: number) => at(rules, index).definition.max_age !== undefined;
  if (!rules.some((_, i) => isAged(i))) return [];
  return rows.filter(isRunning).flatMap(({ name, fingerprint, allowed: isAllowed, flows, evaluations }) => {
    if (!isKnownFingerprint(fingerprint)) return [];
    return evaluations.flatMap((index) => {
      const [judge, ...outcomes] = at(results, index);
      const { policy_name: policy, at: evaluated, rules: applied } = at(judges, judge);
      return flows.flatMap(({ name: flow, trail, trailName }, n) =>
        applied.flatMap((ruleIndex, i): AgedResult[] => {
          if (!isAged(ruleIndex)) return [];
          const outcome = readOutcomes(at(outcomes, n))(i);
          if (evaluated === undefined || outcome === undefined) {
            throw new Fault(place, `policy ${policy} decided by an age, and the content does not say as of when`);
          }
          const { rule, allowed, what } = agedRule(place, at(rules, ruleIndex));
          const where = `policy ${policy} about ${what} of artifact ${name} in trail ${trailName} of flow ${flow}`;
          return [{ text: where, trail, fingerprint, rule, allowed, outcome, at: evaluated, isAllowed }];
        }),
      );
    });
  });
}

function agedRule(place: string, { definition }: z.infer<typeof Rule>) {
  const { name = '*', type = '*', must_be_compliant: mustBeCompliant = true, for_control: control } = definition;
  const { max_age: age = '', reported_by: reporter, signed_by: signers, grade } = definition;
  const allowed = readDuration(age);
  if (typeof allowed !== 'number') throw new Fault(place, `'${age}' of a rule is no duration`);
  if (control != null) return { rule: null, allowed, what: `decisions about ${control}` };
  const asksMore = reporter !== undefined || signers !== undefined || grade !== undefined;
  const rule: AgedRule = { name, type, mustBeCompliant, allowed, asksMore };
  return { rule, allowed, what: `attestation '${name}' of type '${type}'` };
}
