import type { Fingerprint, TrailId } from '#shared/base/ids.ts';
import { type Duration, latestOf, type Micros, plus } from '#shared/base/time.ts';
import { typeMatches } from '#shared/evidence/rules/binding.ts';
import { EMPTY_TEMPLATE } from '#shared/evidence/rules/template.ts';
import { applyMoment, EMPTY_TRAIL, type MomentChange, type TrailState } from '#shared/evidence/rules/trail-state.ts';
import { trailJudge } from '#shared/evidence/rules/verdict.ts';
import type { RuleOutcome } from '#shared/policies/rules/results.ts';

/**
 * An evaluation reads evidence shortly before or after the instant that it states, and functions have clocks of their own. So the
 * evidence of any instant that is no further away can be the one that it read.
 */
export const SLACK: Duration = 120_000_000;

/** What a rule with `max_age` asks of attestations (rules/policies.md#max-age). */
export interface AgedRule {
  /** `*` is any name. */
  name: string;
  /** `*` is any type. */
  type: string;
  mustBeCompliant: boolean;
  allowed: Duration;
  /** Whether the rule also asks who reported or signed, which is not computed again: then a match may count or not. */
  asksMore: boolean;
}

/** The attestations of a trail that a rule about an artifact can match. */
interface AgedMatches {
  matches: readonly { at: Micros; compliant: boolean }[];
  /** Whether each match counts. If not, each of them may count or not. */
  isCertain: boolean;
  /** Whether recalls may have taken any of them away, or brought an earlier one back. */
  mayBeRecalled: boolean;
}

/** Whether the outcome of a rule follows from its matches at an instant. */
export function followsFrom(
  { type, attested, found: unsigned }: RuleOutcome,
  rule: AgedRule,
  { matches, isCertain, mayBeRecalled }: AgedMatches,
  at: Micros,
): boolean {
  if (mayBeRecalled || unsigned) return true;
  const fresh = matches.filter((one) => at - one.at <= rule.allowed);
  const satisfies = ({ compliant }: { compliant: boolean }) => compliant || !rule.mustBeCompliant;
  switch (type) {
    case 'rule_satisfied':
      return fresh.some(satisfies);
    case 'non_compliant_attestation':
      return fresh.length > 0 && !(isCertain && fresh.some(satisfies));
    case 'missing_attestation':
      if (attested === undefined) return !isCertain || matches.length === 0;
      if (at - attested <= rule.allowed || !matches.some((one) => one.at === attested)) return false;
      return !isCertain || matches.every((one) => one.at <= attested);
    default:
      return true;
  }
}

/** Returns the instants until which a satisfied rule can be satisfied by the matches of it. */
export function endsOf(rule: AgedRule, { matches, isCertain }: AgedMatches): Micros[] {
  const times = matches.filter(({ compliant }) => compliant || !rule.mustBeCompliant).map(({ at }) => at);
  const last = isCertain && times.length > 0 ? [latestOf(...times)] : times;
  return last.map((at) => plus(at, rule.allowed));
}

/** What somebody wants to know of a trail: the matches of a rule in each state that the trail had in an interval. */
interface AgedQuestion {
  fingerprint: Fingerprint;
  rule: AgedRule;
  from: Micros;
  until: Micros;
  see: (found: AgedMatches) => void;
  /** Called after the last state of the interval. @throws Fault */
  end?: () => void;
}

/** Collects what is asked about trails, and answers it while their moments are read. */
export class AgedSlots {
  readonly #questions = new Map<TrailId, AgedQuestion[]>();
  readonly #states = new Map<TrailId, TrailState>();
  /** Whether the organization has recalls, also deleted ones. */
  hasRecalls = false;

  ask(trail: TrailId, question: AgedQuestion): void {
    const others = this.#questions.get(trail);
    if (others) others.push(question);
    else this.#questions.set(trail, [question]);
  }

  /** Takes the next moment of a trail, also one that came after the checkpoint: an evaluation can have read it. */
  add(trail: TrailId, moment: MomentChange): void {
    if (!this.#questions.has(trail)) return;
    const before = this.#states.get(trail) ?? EMPTY_TRAIL;
    this.#show(trail, before, moment.at);
    this.#states.set(trail, applyMoment(before, moment));
  }

  /** Says that a trail has no further moments. @throws Fault of the first question that is answered wrongly */
  finish(trail: TrailId): void {
    const state = this.#states.get(trail);
    if (state) this.#show(trail, state, undefined);
    for (const { end } of this.#questions.get(trail) ?? []) end?.();
    this.#questions.delete(trail);
    this.#states.delete(trail);
  }

  /** @param next time of the moment that ends the state; undefined if it is the last one */
  #show(trail: TrailId, state: TrailState, next: Micros | undefined): void {
    const isAsked = ({ from, until }: AgedQuestion) => state.at <= until && (next === undefined || next > from);
    const questions = this.#questions.get(trail)?.filter(isAsked) ?? [];
    if (questions.length === 0) return;
    const judge = trailJudge(state, EMPTY_TEMPLATE);
    const known = new Map<string, AgedMatches>();
    for (const { fingerprint, rule, see } of questions) {
      const key = `${fingerprint} ${rule.type} ${rule.asksMore} ${rule.name}`;
      const found = known.get(key) ?? this.#matchesOf(state, judge.entries(fingerprint), rule);
      known.set(key, found);
      see(found);
    }
  }

  #matchesOf(
    { attestations }: TrailState,
    entries: ReturnType<ReturnType<typeof trailJudge>['entries']>,
    { name, type, asksMore }: AgedRule,
  ): AgedMatches {
    const times = new Map([...attestations.values()].map(({ id, at }) => [id, at]));
    const named = entries.filter(
      (entry) => (name === '*' || name === entry.attestation_name) && typeMatches(type, entry.attestation_type),
    );
    const matches = named.flatMap(({ attestation_id: id, is_compliant: compliant }) => {
      const at = id === null ? undefined : times.get(id);
      return at === undefined ? [] : [{ at, compliant: compliant === true }];
    });
    const mayBeRecalled = this.hasRecalls && named.some(({ proof }) => proof !== undefined);
    return { matches, isCertain: !asksMore, mayBeRecalled };
  }
}
