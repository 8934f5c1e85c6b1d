import type { StateName } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import type { Interval, Period } from '../../parts/plot/model/timeline.ts';
import type { ExposedArtifact, Exposure, RecalledSbom, UnknownArtifact, Where } from '../operations.ts';

/** Where a component runs: what is said of the answer, and how it is drawn (rules/components.md#exposure). */

/** The rows of all pages that were read. */
export interface Found {
  affected: readonly ExposedArtifact[];
  /** Said not to be affected. */
  cleared: readonly ExposedArtifact[];
  undecided: readonly ExposedArtifact[];
  recalled: readonly RecalledSbom[];
  notKnown: readonly UnknownArtifact[];
}

export const foundIn = (pages: readonly Exposure[]): Found => ({
  affected: pages.flatMap(({ affected }) => affected).toSorted(urgentFirst),
  cleared: pages.flatMap(({ not_affected: cleared }) => cleared).toSorted(urgentFirst),
  undecided: pages.flatMap(({ undecided }) => undecided).toSorted(urgentFirst),
  recalled: pages.flatMap(({ recalled }) => recalled),
  notKnown: pages.flatMap(({ not_known: unknown }) => unknown),
});

const runs = ({ environments }: ExposedArtifact): boolean => environments.some(({ running }) => running);
const ran = ({ environments }: ExposedArtifact): boolean => environments.length > 0;

const rank = (row: ExposedArtifact): number => (runs(row) ? 0 : ran(row) ? 1 : 2);
/** What runs comes first, then what was reported last. */
const urgentFirst = (one: ExposedArtifact, other: ExposedArtifact): number =>
  rank(one) - rank(other) || other.reported_at - one.reported_at;

/** Several SBOMs can be about one artifact. */
const artifactsOf = (rows: readonly ExposedArtifact[]): number =>
  new Set(rows.map(({ artifact }) => artifact.fingerprint)).size;

interface Asked {
  /** Whether all pages were read. */
  isComplete: boolean;
  /** Whether the question is about an instant of the past. */
  isPast: boolean;
}

/** The verdict: what runs, what nobody can say, and whether anything is missing in the answer. */
export function exposureState({ affected, cleared, undecided, notKnown }: Found, { isComplete }: Asked): StateName {
  if (affected.some(runs)) return 'affected';
  if (!isComplete || notKnown.length > 0 || undecided.length > 0) return 'unknown';
  if (affected.length > 0) return 'stopped';
  return cleared.length > 0 ? 'not-affected' : 'absent';
}

/** What a reader has to know first. An answer that is not complete says so, because what was not found yet may still run. */
export function exposureSentence(found: Found, asked: Asked): string {
  const [cleared, undecided, unknown] = [artifactsOf(found.cleared), artifactsOf(found.undecided), unknownOf(found)];
  const isCleared = found.affected.length === 0 && cleared > 0;
  const parts = [
    !isCleared && affectedSentence(found, asked),
    cleared > 0 && `${count(cleared, 'artifact')} with it ${cleared === 1 ? 'is' : 'are'} said not to be affected.`,
    undecided > 0 && `Of ${count(undecided, 'artifact')} nobody can say whether the version is meant.`,
    unknown > 0 && `Nobody knows the components of ${count(unknown, 'artifact')} that ${runVerb(unknown, asked)}.`,
    !asked.isComplete && 'The answer is not complete yet.',
  ];
  return parts.filter((part) => part !== false).join(' ');
}

/** What runs in several environments is one artifact. */
const unknownOf = ({ notKnown }: Found): number =>
  new Set(notKnown.map(({ name, fingerprint }) => `${fingerprint} ${name}`)).size;

const runVerb = (number: number, { isPast }: Asked): string => (isPast ? 'ran' : number === 1 ? 'runs' : 'run');

function affectedSentence({ affected }: Found, asked: Asked): string {
  if (affected.length === 0) {
    return asked.isComplete ? 'No SBOM that counts lists it.' : 'No SBOM of those that were read lists it.';
  }
  const running = affected.filter(runs);
  const number = artifactsOf(running);
  const before = artifactsOf(affected.filter((row) => !runs(row) && ran(row)));
  const others = `${count(before, 'artifact')} with it ran before`;
  if (number > 0) {
    const names = new Set(running.flatMap((row) => row.environments.filter((one) => one.running)).map(nameOf));
    const where = `${count(number, 'artifact')} with it ${runVerb(number, asked)} in ${listed([...names].toSorted())}.`;
    return before === 0 ? where : `${where} ${others}.`;
  }
  const none = asked.isPast ? 'none ran at that instant' : 'none runs now';
  return before > 0 ? `${others}, and ${none}.` : `${count(artifactsOf(affected), 'artifact')} with it never ran.`;
}

const nameOf = ({ environment }: Where): string => environment;

/** The time that the picture shows: from the first start, or the first report of an SBOM, to the instant of the answer. */
export function exposurePeriod({ affected, cleared, undecided }: Found, asOf: number): Period {
  const rows = [...affected, ...cleared, ...undecided].filter(ran);
  const times = rows.flatMap(({ environments, reported_at: reported }) => [
    reported,
    ...environments.flatMap(({ runs: all }) => all.flatMap(({ from, to }) => from ?? to ?? [])),
  ]);
  return { from: times.reduce((first, at) => Math.min(first, at), asOf - 60), to: asOf };
}

/** An environment over time. */
interface EnvironmentLane {
  environment: string;
  intervals: Interval[];
}

/** A lane for each environment in which something ran: those where it runs first. Times that nobody knows reach to the edge. */
export function lanesOf({ affected, cleared, undecided }: Found, { from, to }: Period): EnvironmentLane[] {
  const lanes = new Map<string, EnvironmentLane & { isRunning: boolean }>();
  const add = (rows: readonly ExposedArtifact[], state: StateName): void => {
    for (const { environment, running, runs: all } of rows.flatMap(({ environments }) => environments)) {
      const lane = lanes.get(environment) ?? { environment, intervals: [], isRunning: false };
      lane.intervals.push(...all.map((run) => ({ from: run.from ?? from, to: run.to ?? to, state })));
      lane.isRunning ||= running && state === 'affected';
      lanes.set(environment, lane);
    }
  };
  add(affected, 'affected');
  add(cleared, 'not-affected');
  add(undecided, 'undecided');
  return [...lanes.values()]
    .toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning) || (a.environment < b.environment ? -1 : 1))
    .map(({ environment, intervals }) => ({ environment, intervals }));
}

/** Words for what is missing. */
const KINDS: Readonly<Record<UnknownArtifact['kind'], string>> = {
  unreadable: 'unreadable SBOM',
  pending: 'SBOM not read yet',
  recalled: 'recalled SBOM',
  erased: 'erased',
  none: 'no SBOM',
};

export const kindText = (kind: UnknownArtifact['kind']): string => KINDS[kind];
