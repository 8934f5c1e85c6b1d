import * as z from 'zod';
import { type Fingerprint, isKnownFingerprint, type TrailId } from '#shared/base/ids.ts';
import { readDuration } from '#shared/base/texts/durations.ts';
import type { Micros } from '#shared/base/time.ts';
import { isRunning, RowFlow, SnapshotRow } from '#shared/environments/rules/content.ts';
import { type RuleOutcome, readOutcomes, UnreadableOutcome } from '#shared/policies/rules/results.ts';
import { Fault } from '../fault.ts';
import { fitting, Instant, parsed } from '../records/lines.ts';
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
  judges: z.array(z.object({ policy_name: z.string(), at: Instant.optional(), rules: z.array(z.int()) })).default([]),
  results: z.array(z.tuple([z.int()], z.string())).default([]),
  /** Only in a logical environment. */
  members: z.record(z.string(), z.number()).optional(),
  rows: z.array(
    SnapshotRow.pick({ name: true, fingerprint: true, annotation: true, allowed: true }).extend({
      flows: z.array(RowFlow.pick({ name: true, trail: true, trailName: true })),
      /** Contents of the first releases have objects here. No rule of them limits ages. */
      evaluations: z.array(z.unknown()),
    }),
  ),
});

/** What a policy decided by a rule with `max_age` in one flow of an artifact. */
interface AgedOutcome {
  policy: string;
  /** What the rule asks for, for faults. */
  what: string;
  /** Null for a rule about a control: its decisions are of the whole organization, and are not looked for again. */
  rule: AgedRule | null;
  allowed: number;
  outcome: RuleOutcome;
  /** The instant of the evaluation. */
  at: Micros;
}

/** The same about one artifact. */
export interface AgedResult extends AgedOutcome {
  trail: TrailId;
  fingerprint: Fingerprint;
  /** Whether the artifact was on the allow-list, so that no age counts. */
  isAllowed: boolean;
  /** Returns a text for faults that names policy, rule, artifact and trail. */
  text: () => string;
}

/** What was decided by ages in the content of a snapshot. */
export interface AgedContent {
  /** Whether the snapshot is one of a logical environment, which is evaluated at any time after its own. */
  isLogical: boolean;
  /** About the artifacts that run. */
  results: AgedResult[];
}

/** Reads what was decided by ages in the text of a content. @throws Fault */
export function agedContent(place: string, text: string): AgedContent {
  const content = fitting(place, Content, parsed(place, text, 'text of the body'));
  const isLogical = content.members !== undefined;
  const rules = content.rules.map((rule) => agedRule(place, rule));
  if (rules.every((rule) => rule === null)) return { isLogical, results: [] };
  // Artifacts with the same result name it by its index. Results of exited ones alone are not read: they can be of any age.
  const decided = new Map<unknown, AgedOutcome[][]>();
  const decidedBy = (index: unknown) => {
    const known = decided.get(index) ?? agedOutcomes(place, content, rules, partAt(place, content.results, index));
    decided.set(index, known);
    return known;
  };
  const results = content.rows.filter(isRunning).flatMap((row): AgedResult[] => {
    const { name, fingerprint, allowed: isAllowed, flows, evaluations } = row;
    if (!isKnownFingerprint(fingerprint)) return [];
    return evaluations.flatMap((index) =>
      flows.flatMap(({ name: flow, trail, trailName }, n) =>
        partAt(place, decidedBy(index), n).map((one) => {
          const text = () =>
            `policy ${one.policy} about ${one.what} of artifact ${name} in trail ${trailName} of flow ${flow}`;
          return { ...one, trail, fingerprint, isAllowed, text };
        }),
      ),
    );
  });
  return { isLogical, results };
}

/** Returns what a result says by rules with `max_age`, for each flow of its artifacts. @param rules null: without `max_age` */
function agedOutcomes(
  place: string,
  { judges }: Pick<z.infer<typeof Content>, 'judges'>,
  rules: readonly (ReturnType<typeof agedRule> | null)[],
  [judge, ...outcomes]: z.infer<typeof Content>['results'][number],
): AgedOutcome[][] {
  const { policy_name: policy, at, rules: applied } = partAt(place, judges, judge);
  return outcomes.map((text) => {
    const outcomeOf = outcomesIn(place, text);
    return applied.flatMap((index, i): AgedOutcome[] => {
      const aged = partAt(place, rules, index);
      if (aged === null) return [];
      const outcome = outcomeOf(i);
      if (at === undefined || outcome === undefined) {
        throw new Fault(place, `policy ${policy} decided by an age, and the content does not say as of when`);
      }
      return [{ ...aged, policy, outcome, at }];
    });
  });
}

function outcomesIn(place: string, text: string): ReturnType<typeof readOutcomes> {
  try {
    return readOutcomes(text);
  } catch (error) {
    if (error instanceof UnreadableOutcome) throw new Fault(place, error.message, error);
    throw error;
  }
}

function partAt<T>(place: string, values: readonly T[], index: unknown): T {
  const value = typeof index === 'number' ? values[index] : undefined;
  if (value === undefined) throw new Fault(place, `the content names part ${index} of ${values.length}`);
  return value;
}

/** @returns null for a rule without `max_age` */
function agedRule(
  place: string,
  { definition }: z.infer<typeof Rule>,
): Pick<AgedOutcome, 'rule' | 'allowed' | 'what'> | null {
  const { name = '*', type = '*', must_be_compliant: mustBeCompliant = true, for_control: control } = definition;
  const { max_age: age, reported_by: reporter, signed_by: signers, grade } = definition;
  if (age === undefined) return null;
  const allowed = readDuration(age);
  if (typeof allowed !== 'number') throw new Fault(place, `'${age}' of a rule is no duration`);
  if (control != null) return { rule: null, allowed, what: `decisions about ${control}` };
  const asksMore = reporter !== undefined || signers !== undefined || grade !== undefined;
  const rule: AgedRule = { name, type, mustBeCompliant, allowed, asksMore };
  return { rule, allowed, what: `attestation '${name}' of type '${type}'` };
}
