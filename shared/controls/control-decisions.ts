import type { Fingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Owner, Reading } from '#shared/evidence/flow-verdicts.ts';
import type { FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { readOlderTrails, type TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { type CountReads, readEach } from '#shared/table/read-each.ts';
import { type DecisionSubject, readDecisions, type StoredDecision } from './records/decisions.ts';
import type { ControlQuestion } from './rules/decisions.ts';

/** Older trails of one artifact whose decisions are read, newest first, besides the latest trail of each flow. */
const MOST_OLDER_TRAILS = 100;

/** Reads the decisions as they were at an instant. */
interface AsOf {
  until: Micros;
  /** As {@link MOST_OLDER_TRAILS}. */
  olderTrails: number;
}

/**
 * The controls that questions name. `anyName` is true if every question about the control accepts any attestation name:
 * then the newest decision is enough.
 */
type AskedControls = ReadonlyMap<string, { anyName: boolean }>;

/**
 * Reads the decisions that are candidates for `for_control`: those on an artifact's fingerprint and those on the trails
 * in which the artifact was reported (rules/controls.md#candidates). Reads nothing if no question names a control, and
 * nothing about fingerprints that no flow has reported, because a decision on such a fingerprint is refused.
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
  const asked = controlsAsked(questions);
  const decisions = new Map<string, StoredDecision[]>();
  if (asked.size === 0) return decisions;

  const reader = new DecisionReader(reading, org, asked, asOf?.until);
  const most = asOf?.olderTrails ?? MOST_OLDER_TRAILS;
  const older = new Map<string, TrailPlace[]>();
  const reported = [...presences].filter(([, found]) => found.length > 0);
  const latest = new Map(reported.map(([fingerprint, found]) => [fingerprint, found.map(placeOf)]));
  await Promise.all([
    reader.read([...latest].flatMap(([fingerprint, trails]) => [{ fingerprint }, ...trails])),
    readEach(reported, async ([fingerprint, found]) => {
      older.set(fingerprint, await readOlderTrails(reading.table, org.id, fingerprint, found, most));
    }),
  ]);
  await reader.read([...older.values()].flat(), countReads);

  for (const [fingerprint, trails] of latest) {
    decisions.set(fingerprint, reader.on([{ fingerprint }, ...trails, ...(older.get(fingerprint) ?? [])]));
  }
  return decisions;
}

const placeOf = ({ flow, trail }: FlowPresence): TrailPlace => ({ flow, trail });

function controlsAsked(questions: readonly ControlQuestion[]): AskedControls {
  const asked = new Map<string, { anyName: boolean }>();
  for (const { control, name } of questions) {
    asked.set(control, { anyName: (asked.get(control)?.anyName ?? true) && name === '*' });
  }
  return asked;
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
      return [...this.#asked].map(([control, { anyName }]) => ({
        found,
        control,
        about,
        until: this.#until,
        ...(anyName && { limit: 1 }),
      }));
    });
    countReads(wanted.length);
    const read = await readDecisions(this.#reading.table, this.#org.id, wanted);
    for (const [i, { found }] of wanted.entries()) found.push(...(read[i] ?? []));
  }

  /** Returns the decisions on some subjects, the oldest first. The last one of an instant counts. */
  on(subjects: readonly DecisionSubject[]): StoredDecision[] {
    const distinct = new Set(subjects.map(subjectKey));
    return [...distinct].flatMap((key) => this.#found.get(key) ?? []).sort((a, b) => (a.entry < b.entry ? -1 : 1));
  }
}

const subjectKey = (subject: DecisionSubject): string =>
  'fingerprint' in subject ? subject.fingerprint : `${subject.flow}#${subject.trail}`;
