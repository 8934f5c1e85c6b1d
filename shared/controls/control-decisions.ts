import type { Fingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Owner, Reading } from '#shared/evidence/flow-verdicts.ts';
import type { FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { readOlderTrails, type TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { matchingRecalls } from '#shared/evidence/rules/recalled.ts';
import { readRecalls } from '#shared/signers/read-recalls.ts';
import { type RecallsSince, readRecallsSince } from '#shared/signers/read-recalls-at.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { type CountReads, readEach } from '#shared/table/read-each.ts';
import { readRequirements } from './records/controls.ts';
import { type DecisionSubject, readDecisions, type StoredDecision } from './records/decisions.ts';
import type { ControlQuestion } from './rules/decisions.ts';
import { meetsRequirements } from './rules/requirements.ts';

/** Older trails of one artifact whose decisions are read, newest first, besides the latest trail of each flow. */
const MOST_OLDER_TRAILS = 100;

/** Reads the decisions as they were at an instant. */
interface AsOf {
  until: Micros;
  /** As {@link MOST_OLDER_TRAILS}. */
  olderTrails: number;
}

/** The controls that questions name. `isNewestEnough` = the newest decision of a subject decides, so no other is read. */
type AskedControls = ReadonlyMap<string, { isNewestEnough: boolean }>;

/**
 * Reads the decisions that are candidates for `for_control`: those on an artifact's fingerprint and those on the trails
 * in which the artifact was reported (rules/controls.md#candidates). Those that do not count say so, because the present version of
 * their control asks for more, or because their signature is recalled (rules/controls.md#requirements). Reads nothing if no question
 * names a control, and nothing about fingerprints that no flow has reported, because a decision on such a fingerprint is refused.
 *
 * @param presences the latest trail of each flow, by fingerprint
 * @param questions what the policies ask; controls that no question names are not read
 * @param countReads called before the decisions on older trails are read
 * @param asOf leaves out later decisions; absent = reads all of them
 * @returns decisions by fingerprint, the oldest first
 */
export async function readControlDecisions(
  reading: Reading,
  org: Owner,
  presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>,
  questions: readonly ControlQuestion[],
  countReads: CountReads = () => undefined,
  asOf?: AsOf,
): Promise<Map<string, StoredDecision[]>> {
  const decisions = new Map<string, StoredDecision[]>();
  const reported = [...presences].filter(([, found]) => found.length > 0);
  if (questions.length === 0 || reported.length === 0) return decisions;

  const { table } = reading;
  const most = asOf?.olderTrails ?? MOST_OLDER_TRAILS;
  const asked = controlsAsked(questions);
  const older = new Map<string, TrailPlace[]>();
  const latest = new Map(reported.map(([fingerprint, found]) => [fingerprint, found.map(placeOf)]));
  const onLatest = [...latest].flatMap(([fingerprint, trails]) => [{ fingerprint }, ...trails]);
  let reader = new DecisionReader(reading, org, asked, asOf?.until);
  const [requirements, recalls] = await Promise.all([
    readRequirements(table, org.id, [...asked.keys()]),
    reader.read(onLatest).then(() => (reader.hasSignature() ? readRecallsAsOf(table, org, asOf) : NO_RECALLS)),
    readEach(reported, async ([fingerprint, found]) => {
      older.set(fingerprint, await readOlderTrails(table, org.id, fingerprint, found, most));
    }),
  ]);
  const judged = (decision: StoredDecision): StoredDecision => {
    const recalledBy = namesOf(decision, recalls.past);
    if (recalledBy.length > 0) return { ...decision, refused: decision.facts, recalledBy };
    const counts = meetsRequirements(requirements.get(decision.control) ?? {}, decision.facts);
    if (!counts) return { ...decision, refused: decision.facts };
    const recalledSince = namesOf(decision, recalls.now);
    return recalledSince.length > 0 ? { ...decision, recalledSince } : decision;
  };
  const mayBeRefused = (control: string) => requirements.has(control) || recalls.past.length > 0;
  const narrow = [...asked].flatMap(([control, { isNewestEnough }]) =>
    isNewestEnough && mayBeRefused(control) ? [control] : [],
  );
  // The newest decision may not count, so these controls need the others too.
  if (narrow.length > 0) {
    const all = new Map([...asked, ...narrow.map((control) => [control, { isNewestEnough: false }] as const)]);
    reader = new DecisionReader(reading, org, all, asOf?.until);
    await reader.read(onLatest, countReads);
  }
  await reader.read([...older.values()].flat(), countReads);

  for (const [fingerprint, trails] of latest) {
    const candidates = reader.on([{ fingerprint }, ...trails, ...(older.get(fingerprint) ?? [])]);
    decisions.set(fingerprint, candidates.map(judged));
  }
  return decisions;
}

const NO_RECALLS: RecallsSince = { past: [], now: [] };

/** Reads the recalls that decisions are counted by. Those of now are the same if decisions of now are asked for. */
async function readRecallsAsOf(table: Reading['table'], org: Owner, asOf: AsOf | undefined): Promise<RecallsSince> {
  if (asOf) return readRecallsSince(table, org.id, asOf.until);
  const recalls = await readRecalls(table, org.id);
  return { past: recalls, now: recalls };
}

const namesOf = (decision: StoredDecision, recalls: readonly Recall[]): string[] =>
  matchingRecalls(decision, recalls).map(({ name }) => name);

const placeOf = ({ flow, trail }: FlowPresence): TrailPlace => ({ flow, trail });

function controlsAsked(questions: readonly ControlQuestion[]): AskedControls {
  const byControl = Map.groupBy(questions, ({ control }) => control);
  return new Map(
    [...byControl].map(([control, all]) => [control, { isNewestEnough: all.every(({ name }) => name === '*') }]),
  );
}

/** Reads the decisions on each subject once, even if the subject belongs to several artifacts. */
class DecisionReader {
  readonly #reading: Reading;
  readonly #org: Owner;
  readonly #asked: AskedControls;
  readonly #until: Micros | undefined;
  readonly #found = new Map<string, StoredDecision[]>();

  constructor(reading: Reading, org: Owner, asked: AskedControls, until: Micros | undefined) {
    this.#reading = reading;
    this.#org = org;
    this.#asked = asked;
    this.#until = until;
  }

  /** Reads the decisions on the subjects that were not read before. */
  async read(subjects: readonly DecisionSubject[], countReads: CountReads = () => undefined): Promise<void> {
    const distinct = new Map(subjects.map((subject) => [subjectKey(subject), subject]));
    const wanted = [...distinct].flatMap(([key, about]) => {
      if (this.#found.has(key)) return [];
      const found: StoredDecision[] = [];
      this.#found.set(key, found);
      return [...this.#asked].map(([control, { isNewestEnough }]) => ({
        found,
        control,
        about,
        until: this.#until,
        ...(isNewestEnough && { limit: 1 }),
      }));
    });
    countReads(wanted.length);
    const read = await readDecisions(this.#reading.table, this.#org.id, wanted);
    for (const [i, { found }] of wanted.entries()) found.push(...(read[i] ?? []));
  }

  /** Whether a decision that was read has a signature, so that recalls can concern it. */
  hasSignature(): boolean {
    return [...this.#found.values()].flat().some(({ proof }) => proof?.signature !== undefined);
  }

  /** Returns the decisions on some subjects, the oldest first. The last one of an instant counts. */
  on(subjects: readonly DecisionSubject[]): StoredDecision[] {
    const distinct = new Set(subjects.map(subjectKey));
    return [...distinct].flatMap((key) => this.#found.get(key) ?? []).sort((a, b) => (a.entry < b.entry ? -1 : 1));
  }
}

const subjectKey = (subject: DecisionSubject): string =>
  'fingerprint' in subject ? subject.fingerprint : `${subject.flow}#${subject.trail}`;
