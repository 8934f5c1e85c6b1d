import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { type Duration, EPOCH, latestOf, type Micros, minus, plus } from '#shared/base/time.ts';
import { Fault } from '../fault.ts';
import { instantText } from '../instant.ts';
import { Instant } from '../records/lines.ts';
import type { AgedContent } from './aged-contents.ts';
import { type AgedSlots, endsOf, SLACK } from './aged-slots.ts';

export const Head = z.looseObject({
  id: EnvironmentId,
  name: z.string(),
  index: z.int(),
  evaluatedAt: Instant,
  freshUntil: Instant.optional(),
});

/** A rule that was satisfied in a snapshot: the instants until which it can be. */
interface Ends {
  /** Whether the age counts: not if the artifact was on the allow-list, which may have changed since. */
  isRequired: boolean;
  allowed: Duration;
  ends: Set<Micros>;
  /** Whether the moments of the trail say which attestations matched in each of its states; undefined without a state. */
  isKnown: boolean | undefined;
}

/** An environment with the rules by which ages count in its newest snapshot. */
export class AgedHead {
  readonly #place: string;
  readonly #head: z.infer<typeof Head>;
  readonly #rules: Ends[] = [];
  /** Whether everything by which ages count is known. */
  #isKnown = false;
  /** The last evaluation. */
  #evaluated: Micros;

  constructor(place: string, head: z.infer<typeof Head>) {
    this.#place = place;
    this.#head = head;
    this.#evaluated = head.evaluatedAt;
  }

  /** @param content of the newest snapshot */
  ask(aged: AgedSlots, { isLogical, results }: AgedContent): void {
    const satisfied = results.filter(({ outcome }) => outcome.type === 'rule_satisfied');
    this.#isKnown = satisfied.every(({ rule }) => rule !== null);
    // The head of a logical environment has the time of its snapshot. A change of policies has removed even that.
    if (isLogical) this.#evaluated = satisfied.reduce((latest, { at }) => latestOf(latest, at), EPOCH);
    const evaluated = this.#evaluated;
    for (const { trail, fingerprint, rule, isAllowed } of satisfied) {
      if (rule === null) continue;
      const asked: Ends = { isRequired: !isAllowed, allowed: rule.allowed, ends: new Set(), isKnown: undefined };
      this.#rules.push(asked);
      aged.ask(trail, {
        ...{ fingerprint, rule, from: minus(evaluated, SLACK), until: plus(evaluated, SLACK) },
        see: (found) => {
          asked.isKnown = (asked.isKnown ?? true) && !found.mayBeRecalled;
          for (const end of endsOf(rule, found)) asked.ends.add(end);
        },
      });
    }
  }

  /**
   * Compares the instant until which the verdict is fresh with the earliest end of the rules.
   *
   * @param newest time of the newest proved record: later evidence can be missing in the export
   * @throws Fault
   */
  verify(newest: Micros): void {
    const { name, freshUntil = EPOCH } = this.#head;
    const rules = this.#rules;
    if (!this.#isKnown || rules.some(({ isKnown }) => isKnown !== true)) return;
    const mayBeLater = plus(this.#evaluated, SLACK) > newest;
    const ends = ({ ends: of, allowed }: Ends) =>
      of.has(freshUntil) || (mayBeLater && freshUntil > plus(newest, allowed - SLACK));
    const reaches = ({ ends: of }: Ends) => mayBeLater || [...of].some((end) => end >= freshUntil);
    const required = rules.filter(({ isRequired }) => isRequired);
    if (freshUntil === 0 ? required.length === 0 : rules.some(ends) && required.every(reaches)) return;
    const stated = freshUntil === 0 ? 'for ever' : `until ${instantText(freshUntil)}`;
    const computed = new Set(rules.flatMap((rule) => [...rule.ends].map(instantText)));
    const given =
      computed.size === 0 ? 'do not age' : `are young enough until ${[...computed].toSorted().join(' or ')}`;
    throw new Fault(
      this.#place,
      `the line says that the verdict of environment ${name} is fresh ${stated}, but its attestations ${given}`,
    );
  }
}
