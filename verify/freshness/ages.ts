import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { latestOf, type Micros, minus, plus } from '#shared/base/time.ts';
import { Fault } from '../fault.ts';
import { instantText } from '../instant.ts';
import { Body, openBody } from '../records/bodies.ts';
import { Instant, LogIndex, linesOf, recordsOf } from '../records/lines.ts';
import type { ProofState } from '../records/proof-state.ts';
import { type AgedContent, type AgedResult, agedContent } from './aged-contents.ts';
import { AgedHead, Head } from './aged-head.ts';
import { type AgedSlots, followsFrom, SLACK } from './aged-slots.ts';

const Version = z.looseObject({ body: Body });
const Snapshot = z.looseObject({
  environment: EnvironmentId,
  number: z.int(),
  at: Instant,
  name: z.string(),
  log_index: LogIndex,
});
const Content = z.looseObject({ environment: EnvironmentId, number: z.int(), body: Body });
type Snapshot = z.infer<typeof Snapshot>;
const snapshotKey = (environment: string, number: number): string => `${environment} ${number}`;

/**
 * Asks the trails of an export, whose moments are read next, about the ages by which policies decided, and about the instant until
 * which the verdict of each environment is fresh (rules/verification.md#ages). What is wrong becomes a fault when the moments are read.
 *
 * @returns compares instants with all records, to be called after they were read
 */
export async function askAboutAges(state: ProofState): Promise<() => void> {
  if (!(await hasAgedPolicy(state))) return () => undefined;
  for await (const _ of linesOf(state, 'recalls')) state.aged.hasRecalls = true;
  const snapshots = new Map<string, Snapshot>();
  for await (const [, line] of recordsOf(state, 'snapshots', Snapshot, 'snapshot')) {
    if (line.log_index !== undefined) snapshots.set(snapshotKey(line.environment, line.number), line);
  }
  const requires: (() => void)[] = [];
  const heads = new Map<string, AgedHead>();
  for await (const [place, line] of recordsOf(state, 'environments', Head, 'environment')) {
    heads.set(snapshotKey(line.id, line.index), new AgedHead(place, line));
  }
  for await (const [place, { environment, number, body }] of recordsOf(state, 'snapshots', Content, 'content')) {
    const snapshot = snapshots.get(snapshotKey(environment, number));
    const opened = snapshot && (await openBody(state.files, place, body));
    if (!snapshot || !opened) continue;
    const content = agedContent(place, opened.text.toString('utf8'));
    askAboutContent(state.aged, { place, snapshot }, content);
    // A physical environment was evaluated with its snapshot, which is a proved record.
    const latest = content.isLogical ? content.results.toSorted((a, b) => b.at - a.at)[0] : undefined;
    if (latest) requires.push(() => requirePast({ place, snapshot }, latest, state.newest));
    heads.get(snapshotKey(environment, number))?.ask(state.aged, content);
  }
  return () => {
    for (const require of requires) require();
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

/** Where the content of a snapshot is. */
interface Place {
  place: string;
  snapshot: Snapshot;
}

const wrongResult = ({ place, snapshot }: Place, { text }: AgedResult, what: string): Fault =>
  new Fault(place, `snapshot ${snapshot.number} of environment ${snapshot.name} does not follow: ${text()}: ${what}`);

function askAboutContent(aged: AgedSlots, where: Place, { isLogical, results }: AgedContent): void {
  const { at: stored } = where.snapshot;
  for (const result of results) {
    const { at } = result;
    // The expander gives the snapshot of a logical environment the time of a member's, and evaluates whenever it runs.
    if (at < minus(stored, SLACK) || (!isLogical && at > plus(stored, SLACK))) {
      throw wrongResult(
        where,
        result,
        `it was evaluated as of ${instantText(at)}, and the snapshot is of ${instantText(stored)}`,
      );
    }
    askAboutResult(aged, where, result);
  }
}

/** @param latest evaluation of a content @param newest time of the newest proved record @throws Fault if it is later than all records */
function requirePast(where: Place, latest: AgedResult, newest: Micros): void {
  if (latest.at <= plus(newest, SLACK)) return;
  const what = `it was evaluated as of ${instantText(latest.at)}, and the newest record is of ${instantText(newest)}`;
  throw wrongResult(where, latest, what);
}

function askAboutResult(aged: AgedSlots, where: Place, result: AgedResult): void {
  const { trail, fingerprint, rule, allowed, outcome, at } = result;
  const wrong = (what: string): Fault => wrongResult(where, result, what);
  const { attested } = outcome;
  if (attested !== undefined && at - attested <= allowed) {
    throw wrong(`the attestation of ${instantText(attested)} was not too old at ${instantText(at)}`);
  }
  if (rule === null) return;
  let follows = false;
  aged.ask(trail, {
    ...{ fingerprint, rule, from: minus(at, SLACK), until: plus(latestOf(at, where.snapshot.at), SLACK) },
    see: (found) => {
      follows ||= followsFrom(outcome, rule, found, at);
    },
    end: () => {
      if (!follows) throw wrong(`'${outcome.type}' at ${instantText(at)} is not what the moments of the trail give`);
    },
  });
}
