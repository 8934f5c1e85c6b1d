import { type EnvironmentId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { type EnvironmentName, storedName } from '#shared/base/names.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { readAllDetails } from '#shared/environments/records/environment-details.ts';
import { EnvironmentEntry, type EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHead } from '#shared/environments/records/environments.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { hasTags } from '#shared/series/tags.ts';
import { change, equal, exists } from '#shared/table/expressions.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import type { Expectation } from '../rules/expectation.ts';
import { type Arrival, type GapSubject, idInSubjectKey } from '../rules/gaps/gap.ts';
import type { Watch, Watched } from './watched.ts';

/** Environments as the subjects of expectations about reports. */

/** An environment that takes reports. */
interface Reporter {
  id: EnvironmentId;
  name: EnvironmentName;
  created: Micros;
  /** The times of the last reports, the newest first, at most five. */
  arrivals: Micros[];
  /** The mark that lets the stream bring reports to the relay; undefined if there is none. */
  openGap: string | undefined;
}

export const reporterSubject = ({ id, name }: Pick<Reporter, 'id' | 'name'>): GapSubject => ({
  type: 'environment',
  id,
  name,
});

function reporterOf(id: EnvironmentId, item: Item): Reporter | null {
  const { data } = EnvironmentEntry.safeParse(item);
  if (!data || data.k === 'logical') return null;
  const times = [data.r, data.r1, data.r2, data.r3, data.r4];
  const arrivals = times.filter((at): at is Micros => at !== undefined && at !== EPOCH);
  return { id, name: storedName(data.n), created: timeOfId(id), arrivals, openGap: data.openGap };
}

/**
 * Reads the list of environments and, if an expectation has a scope of tags, the details of all of them. Environments that are
 * archived or cannot be read are left out.
 */
export async function watchReporters(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
): Promise<Watch> {
  const isTagged = expectations.some(({ scope }) => 'tags' in scope);
  const [catalogue, details] = await Promise.all([
    readCatalogue(table, org, ENVIRONMENTS),
    isTagged ? readAllDetails(table, org) : null,
  ]);
  const all = new Map<EnvironmentId, Reporter>();
  for (const { id, entry } of catalogue.values()) {
    const reporter = reporterOf(id, entry);
    if (reporter) all.set(id, reporter);
  }
  const of = ({ scope }: Expectation): Reporter[] => {
    if ('environments' in scope) return scope.environments.flatMap(({ id }) => all.get(id) ?? []);
    if ('flows' in scope) return [];
    const filters = scope.tags.map(({ name, value }) => `${name}:${value}`);
    return [...all.values()].filter(({ id }) => details !== null && hasTags(details.tagsOf(id), filters));
  };
  return {
    of: (expectation) => of(expectation).map((reporter) => watchedReporter(table, org, reporter)),
    readGone: async (subject) => {
      const id = idInSubjectKey<EnvironmentId>('environment', subject);
      if (id === null) throw new Error(`A gap in reports is about ${subject}`);
      const reporter = all.get(id);
      const archivedAt = reporter ? null : ((await readHead(table, org, id))?.archived ?? null);
      return { arrivals: reporter?.arrivals ?? [], archivedAt };
    },
  };
}

const watchedReporter = (table: Table, org: OrganizationId, reporter: Reporter): Watched => ({
  subject: reporterSubject(reporter),
  created: reporter.created,
  arrivals: reporter.arrivals,
  readArrivals: async () => {
    const head = await readHead(table, org, reporter.id);
    return (at) => reportAt(at, head);
  },
  guard: (gap) => [markMissing(org, reporter, gap)],
  again: async () => {
    const present = await readReporter(table, org, reporter.id);
    return present && watchedReporter(table, org, present);
  },
  // Without the mark the next report would not wake the relay.
  mend: ({ id, lastAt }) =>
    reporter.openGap === undefined && (reporter.arrivals[0] ?? EPOCH) === lastAt
      ? markMissing(org, reporter, id)
      : null,
});

/** Reads one environment as it is now; null if it is archived or takes no reports. */
export async function readReporter(table: Table, org: OrganizationId, id: EnvironmentId): Promise<Reporter | null> {
  const item = await table.get(catalogueKey(org, ENVIRONMENTS.name, id));
  return item ? reporterOf(id, item) : null;
}

/**
 * Returns the write that marks an environment whose report is missing, so that its next report wakes the relay. It is refused
 * with `arrived` if a report came since the environment was read, or if the environment was archived.
 */
const markMissing = (
  org: OrganizationId,
  { id, arrivals }: Pick<Reporter, 'id' | 'arrivals'>,
  gap: string,
): Write<'arrived'> => ({
  update: catalogueKey(org, ENVIRONMENTS.name, id),
  ...change({ set: { openGap: gap } }, equal({ r: arrivals[0] ?? EPOCH })),
  refused: () => 'arrived' as const,
});

/** Removes the mark of an environment, unless another gap was found since it was read. */
export async function unmark(table: Table, org: OrganizationId, { id, openGap }: Reporter): Promise<void> {
  if (openGap === undefined) return;
  const key = catalogueKey(org, ENVIRONMENTS.name, id);
  await table.update(key, change({ remove: ['openGap'] }, exists(), equal({ openGap })));
}

/** Reads the head of an environment, which has the number of its newest snapshot. */
export const readHead = (table: Table, org: OrganizationId, id: EnvironmentId): Promise<EnvironmentHead | null> =>
  readEnvironmentHead(table, org, id);

/** Returns a report as a gap names it. The newest snapshot shows it, unless the snapshot is younger. */
export function reportAt(at: Micros, head: EnvironmentHead | null): Arrival | null {
  if (at === EPOCH) return null;
  const isShown = head !== null && head.index > 0 && head.at <= at;
  return { at, shown: isShown ? { type: 'snapshot', index: head.index } : null };
}
