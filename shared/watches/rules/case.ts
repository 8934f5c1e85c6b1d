import type { EnvironmentId, Fingerprint } from '#shared/base/ids.ts';
import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { Run } from '#shared/environments/rules/changes/runs.ts';
import type { Watch } from './watch.ts';

/** What follows from a watch and its matches (rules/watches.md#case). */

/** A manufacturer has this time for an early warning (rules/watches.md#known-since). */
const CLOCK: Duration = 24 * 3_600_000_000;

/** Since when the organization knows, by whom, and when the time for an early warning is over. */
export interface KnownSince {
  at: Micros;
  /** `person`: somebody said it. `match`: the watch matched then. */
  by: 'person' | 'match';
  due: Micros;
}

/** What a person said counts before the first match. @returns null if nobody said anything and nothing matched */
export function knownSince({ known }: Pick<Watch, 'known'>, matchedAt: Micros | null): KnownSince | null {
  const at = known?.at ?? matchedAt;
  return at === null ? null : { at, by: known ? 'person' : 'match', due: plus(at, CLOCK) };
}

/** When an affected artifact ran in an environment. */
interface AffectedRuns {
  environment: { id: EnvironmentId; name: string };
  fingerprint: Fingerprint;
  runs: readonly Run[];
}

/** An environment in which affected artifacts run or ran. */
export interface AffectedEnvironment {
  id: EnvironmentId;
  name: string;
  /** Number of affected artifacts. */
  artifacts: number;
  /** When the first of them started, and the snapshot that showed it; null if it ran before the known history. */
  since: Micros | null;
  sinceSnapshot: number | null;
  /** When the last of them stopped, and the snapshot that showed it; null while one runs. */
  until: Micros | null;
  untilSnapshot: number | null;
}

/** Sums up by environment, in the order of the first starts. */
export function affectedEnvironments(all: readonly AffectedRuns[]): AffectedEnvironment[] {
  const groups = [...Map.groupBy(all, ({ environment }) => environment.id).values()];
  return groups
    .flatMap((found) => found.slice(0, 1).map(({ environment }) => summed(environment, found)))
    .toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0));
}

function summed({ id, name }: AffectedRuns['environment'], found: readonly AffectedRuns[]): AffectedEnvironment {
  const runs = found.flatMap((one) => one.runs);
  const [first] = runs.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0));
  const last = runs.some(({ to }) => to === null) ? undefined : runs.toSorted((a, b) => (b.to ?? 0) - (a.to ?? 0))[0];
  return {
    id,
    name,
    artifacts: new Set(found.map(({ fingerprint }) => fingerprint)).size,
    since: first?.from ?? null,
    sinceSnapshot: first?.fromSnapshot ?? null,
    until: last?.to ?? null,
    untilSnapshot: last?.toSnapshot ?? null,
  };
}

/** When the last affected artifact stopped; null while one runs, and if none ever ran. */
export function stoppedAt(environments: readonly AffectedEnvironment[]): Micros | null {
  const ends = environments.map(({ until }) => until);
  if (ends.length === 0) return null;
  return ends.reduce((latest, until) => (latest === null || until === null ? null : until > latest ? until : latest));
}
