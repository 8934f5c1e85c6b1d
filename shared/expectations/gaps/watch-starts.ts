import { type EnvironmentId, firstPreciseIdAt, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { latestOf, type Micros, plus } from '#shared/base/time.ts';
import { readEnvironmentHead } from '#shared/environments/records/environments.ts';
import { readStartsFrom, type StoredStart } from '#shared/environments/records/starts.ts';
import { firstIdOfMonth, monthsBetween } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { readDecided } from '../read-decided.ts';
import { readEnvironmentList, readScopes } from '../read-scope.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import { readGap } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { firstStart } from '../rules/gaps/first-place.ts';
import { type Gap, type GapSubject, placeInSubjectKey } from '../rules/gaps/gap.ts';
import type { Look } from '../rules/gaps/silence.ts';
import { isRestart } from '../rules/restarts.ts';
import { readEarlierStarts } from '../subjects/earlier-starts.ts';
import { type Beginning, type Beginnings, lateOnes, portionsFrom, type Watched, watchedOnce } from './watched.ts';

/** Artifacts that started in environments as the subjects of expectations about decisions. */

/** Starts that one call reads. */
const MANY = 500;

type BegunStart = StoredStart & Beginning;
type ArtifactSubject = GapSubject & { type: 'artifact' };

/** Reads the list of environments and, if a scope has tags, their details. Starts are read later, from the list of starts. */
export async function watchStarts(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  look: Look,
): Promise<Beginnings<BegunStart>> {
  const scopes = new Map(expectations.map(({ scope }) => [JSON.stringify(scope), scope]));
  const catalogue = await readEnvironmentList(table, org);
  const subjects = await readScopes(table, org, [...scopes.values()], catalogue);
  const inScopes = new Map(
    [...scopes.keys()].map((key, i) => [key, new Map((subjects[i] ?? []).map(({ id, name }) => [id, name]))]),
  );
  const names = new Map(expectations.map(({ id, scope }) => [id, inScopes.get(JSON.stringify(scope))]));
  const nameOf = ({ id: expectation }: Expectation, id: EnvironmentId): EnvironmentName | undefined =>
    names.get(expectation)?.get(id);
  return {
    begunFrom: async function* (expectation, from) {
      const isWanted = ({ environment }: StoredStart) =>
        'tags' in expectation.scope || nameOf(expectation, environment) !== undefined;
      const first = latestOf(expectation.startsAt, timeOfId(org), firstStart(from, expectation, look));
      for await (const starts of startsFrom(table, org, { from: first, now: look.now })) {
        yield starts.filter(isWanted).map((start) => ({ ...start, begun: start.at }));
      }
    },
    watch: (expectation, due) => watchDue(table, org, expectation, due, nameOf),
    isIn: (expectation, subject) => {
      const environment = placeInSubjectKey<EnvironmentId>('artifact', subject);
      return environment !== null && nameOf(expectation, environment) !== undefined;
    },
    again: async (id) => {
      const gap = await readGap(table, org, id);
      return gap ? readStartOfGap(table, org, gap) : null;
    },
    readGone: async (subject, id) => {
      const environment = placeInSubjectKey<EnvironmentId>('artifact', subject);
      if (environment === null) throw new Error(`A gap in decisions is about ${subject}`);
      const [gap, head] = await Promise.all([readGap(table, org, id), readEnvironmentHead(table, org, environment)]);
      const watched = gap ? await readStartOfGap(table, org, gap) : null;
      return { arrivals: watched?.arrivals ?? [], archivedAt: head?.archived ?? null };
    },
  };
}

/** Reads the starts of an organization from an instant on, the oldest first. */
function startsFrom(
  table: Table,
  org: OrganizationId,
  { from, now }: { from: Micros; now: Micros },
): AsyncGenerator<StoredStart[]> {
  return portionsFrom(monthsBetween(from, now), firstPreciseIdAt(from), MANY, (month, next, limit) => {
    const first = firstIdOfMonth(month);
    return readStartsFrom(table, org, { from: next > first ? next : first, limit });
  });
}

/** Reads when artifacts were decided about. Leaves out those that were decided about in time, and restarts. */
async function watchDue(
  table: Table,
  org: OrganizationId,
  expectation: Expectation,
  due: readonly BegunStart[],
  nameOf: (expectation: Expectation, id: EnvironmentId) => EnvironmentName | undefined,
): Promise<Watched[]> {
  const inScope = due.flatMap((start) => {
    const place = nameOf(expectation, start.environment);
    return place === undefined ? [] : [{ ...start, place }];
  });
  const decided = await readDecided(table, org, expectation, inScope);
  const late = lateOnes(expectation, inScope, decided);
  const restarts = await findRestarts(table, org, expectation, late);
  return late.flatMap(({ environment: id, place, fingerprint, name, begun, met }, i) => {
    if (restarts[i]) return [];
    const subject = { type: 'artifact' as const, environment: { id, name: place }, fingerprint, name };
    return [watchedStart(table, org, expectation, subject, { begun, met })];
  });
}

/** Says of each start whether it continues an earlier one. */
async function findRestarts(
  table: Table,
  org: OrganizationId,
  expectation: Expectation,
  starts: readonly (StoredStart & { place: EnvironmentName })[],
): Promise<boolean[]> {
  const all = await readEarlierStarts(table, org, starts);
  const earlier = all.map((before) => (before && before.at >= expectation.startsAt ? before : null));
  const found = earlier.flatMap((one) => one ?? []);
  const decided = await readDecided(table, org, expectation, found);
  return starts.map(({ at }, i) => {
    const before = earlier[i];
    return before != null && isRestart(decided[found.indexOf(before)] ?? null, at);
  });
}

/** Reads the artifact of a gap, and when it was decided about. Null if the version of the expectation cannot be read. */
export async function readStartOfGap(
  table: Table,
  org: OrganizationId,
  { subject, since, expectation: { name, version } }: Gap,
): Promise<Watched | null> {
  if (subject.type !== 'artifact') return null;
  const expectation = await readExpectationVersion(table, org, name, version);
  return expectation ? readStart(table, org, expectation, subject, since) : null;
}

/** Reads when an artifact was decided about that started at an instant. */
async function readStart(
  table: Table,
  org: OrganizationId,
  expectation: Pick<Expectation, 'control'>,
  subject: ArtifactSubject,
  at: Micros,
): Promise<Watched> {
  const { fingerprint, environment } = subject;
  const range = { from: firstPreciseIdAt(at), to: firstPreciseIdAt(plus(at, 1)), limit: MANY };
  const starts = await readStartsFrom(table, org, range);
  const start = starts.find((one) => one.fingerprint === fingerprint && one.environment === environment.id);
  const [met = null] = await readDecided(table, org, expectation, [{ fingerprint, at, origin: start?.origin ?? null }]);
  return watchedStart(table, org, expectation, subject, { begun: at, met });
}

/**
 * What decides about an artifact are several lists, which no transaction can check. So a gap can be stored although a decision came in
 * the same second: the next look ends it.
 */
const watchedStart = (
  table: Table,
  org: OrganizationId,
  expectation: Pick<Expectation, 'control'>,
  subject: ArtifactSubject,
  { begun, met }: { begun: Micros; met: Micros | null },
): Watched =>
  watchedOnce(
    subject,
    { begun, met },
    { guard: () => [], again: () => readStart(table, org, expectation, subject, begun) },
  );
