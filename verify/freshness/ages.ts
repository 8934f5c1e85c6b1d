import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { type Duration, EPOCH, type Micros, plus } from '#shared/base/time.ts';
import { Fault } from '../fault.ts';
import { instantText } from '../instant.ts';
import { Body, openBody } from '../records/bodies.ts';
import { Instant, LogIndex, linesOf, recordsOf } from '../records/lines.ts';
import type { ProofState } from '../records/proof-state.ts';
import { type AgedResult, agedContent } from './aged-contents.ts';
import { endsOf, followsFrom, SLACK } from './aged-slots.ts';

const Version = z.looseObject({ body: Body });
const Snapshot = z.looseObject({
  environment: EnvironmentId,
  number: z.int(),
  at: Instant,
  name: z.string(),
  log_index: LogIndex,
});
const Content = z.looseObject({ environment: EnvironmentId, number: z.int(), body: Body });
const Head = z.looseObject({
  id: EnvironmentId,
  name: z.string(),
  index: z.int(),
  evaluatedAt: Instant,
  freshUntil: Instant.optional(),
});

type Snapshot = z.infer<typeof Snapshot>;
const snapshotKey = (environment: string, number: number): string => `${environment} ${number}`;

/** A rule that was satisfied in a snapshot: the instants until which it can be. */
interface Ends {
  /** Whether the age counts: not if the artifact was on the allow-list, which may have changed since. */
  isRequired: boolean;
  allowed: Duration;
  ends: Set<Micros>;
  /** Whether the moments of the trail say which attestations matched. */
  isKnown: boolean;
}

/**
 * Asks the trails of an export, whose moments are read next, about the ages by which policies decided, and about the instant until
 * which the verdict of each environment is fresh (rules/verification.md#ages). What is wrong becomes a fault when the moments are read.
 *
 * @returns compares the instants of environments, after all moments were read.
 */
export async function askAboutAges(state: ProofState): Promise<() => void> {
  if (!(await hasAgedPolicy(state))) return () => undefined;
  for await (const _ of linesOf(state, 'recalls')) state.aged.hasRecalls = true;
  const snapshots = new Map<string, Snapshot>();
  for await (const [, line] of recordsOf(state, 'snapshots', Snapshot, 'snapshot')) {
    if (line.log_index !== undefined) snapshots.set(snapshotKey(line.environment, line.number), line);
  }
  const heads = new Map<string, AgedHead>();
  for await (const [place, line] of recordsOf(state, 'environments', Head, 'environment')) {
    heads.set(snapshotKey(line.id, line.index), new AgedHead(place, line));
  }
  for await (const [place, { environment, number, body }] of recordsOf(state, 'snapshots', Content, 'content')) {
    const snapshot = snapshots.get(snapshotKey(environment, number));
    const opened = snapshot && (await openBody(state.files, place, body));
    if (!snapshot || !opened) continue;
    const { results } = agedContent(place, opened.text.toString('utf8'));
    for (const result of results) askAboutResult(state, place, snapshot, result);
    heads.get(snapshotKey(environment, number))?.ask(state, results);
  }
  return () => {
    for (const head of heads.values()) head.verify(state.newest);
  };
}

/** Without such a policy nothing depends on ages, and the contents need not be read twice. */
async function hasAgedPolicy(state: ProofState): Promise<boolean> {
  for await (const [place, { body }] of recordsOf(state, 'policies', Version, 'version')) {
    const opened = await openBody(state.files, place, body);
    if (opened?.text.includes('max_age')) return true;
  }
  return false;
}

function askAboutResult({ aged }: ProofState, place: string, snapshot: Snapshot, result: AgedResult): void {
  const { text, trail, fingerprint, rule, allowed, outcome, at } = result;
  const wrong = (what: string): Fault =>
    new Fault(place, `snapshot ${snapshot.number} of environment ${snapshot.name} does not follow: ${text()}: ${what}`);
  if (Math.abs(snapshot.at - at) > SLACK) {
    throw wrong(`it was evaluated as of ${instantText(at)}, and the snapshot is of ${instantText(snapshot.at)}`);
  }
  const { attested } = outcome;
  if (attested !== undefined && at - attested <= allowed) {
    throw wrong(`the attestation of ${instantText(attested)} was not too old at ${instantText(at)}`);
  }
  if (rule === null) return;
  let follows = false;
  const until = plus(at > snapshot.at ? at : snapshot.at, SLACK);
  aged.ask(trail, {
    ...{ fingerprint, rule, from: plus(at, -SLACK), until },
    see: (found) => {
      follows ||= followsFrom(outcome, rule, found, at);
    },
    end: () => {
      if (!follows) throw wrong(`'${outcome.type}' at ${instantText(at)} is not what the moments of the trail give`);
    },
  });
}

/** An environment with the rules by which ages count in its newest snapshot. */
class AgedHead {
  readonly #place: string;
  readonly #head: z.infer<typeof Head>;
  readonly #rules: Ends[] = [];
  /** Whether everything by which ages count is known. */
  #isKnown = false;

  constructor(place: string, head: z.infer<typeof Head>) {
    this.#place = place;
    this.#head = head;
  }

  ask({ aged }: ProofState, results: readonly AgedResult[]): void {
    const satisfied = results.filter(({ outcome }) => outcome.type === 'rule_satisfied');
    this.#isKnown = satisfied.every(({ rule }) => rule !== null);
    const { evaluatedAt } = this.#head;
    for (const { trail, fingerprint, rule, isAllowed } of satisfied) {
      if (rule === null) continue;
      const asked: Ends = { isRequired: !isAllowed, allowed: rule.allowed, ends: new Set(), isKnown: false };
      this.#rules.push(asked);
      aged.ask(trail, {
        ...{ fingerprint, rule, from: plus(evaluatedAt, -SLACK), until: plus(evaluatedAt, SLACK) },
        see: (found) => {
          asked.isKnown = !found.mayBeRecalled;
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
    const { name, freshUntil = EPOCH, evaluatedAt } = this.#head;
    const rules = this.#rules;
    if (!this.#isKnown || rules.some(({ isKnown }) => !isKnown)) return;
    const mayBeLater = plus(evaluatedAt, SLACK) > newest;
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
