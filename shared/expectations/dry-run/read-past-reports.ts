import type { OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { readPresenceOf } from '#shared/environments/records/presence-days.ts';
import { dateOf } from '#shared/environments/rules/deployment-frequency.ts';
import { CountingEntry, countedDay } from '#shared/environments/rules/reports/presence-day.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { readScope } from '../read-scope.ts';
import { type Played, playReports } from '../rules/dry-run/play-reports.ts';
import type { Scope } from '../rules/expectation.ts';

interface Period {
  from: Micros;
  now: Micros;
  terms: { every: number; grace: number };
  /** Throws if so many subjects are too many. Called before their past is read. */
  refuseTooMany: (subjects: number) => void;
}

/** Plays an expectation of the kind `reports` over the presence of each environment of its scope. Reads 50 of them with one call per megabyte. */
export async function readPastReports(
  table: Table,
  org: OrganizationId,
  scope: Scope,
  { from, now, terms, refuseTooMany }: Period,
): Promise<(Played & { environment: EnvironmentName })[]> {
  const subjects = await readScope(table, org, scope);
  refuseTooMany(subjects.length);
  const ids = subjects.map(({ id }) => id);
  // Read before the days: a day that an entry no longer counts has its record.
  const entries = await table.getMany(ids.map((id) => catalogueKey(org, ENVIRONMENTS.name, id)));
  const days = await readPresenceOf(table, org, ids, { from: dateOf(from), to: dateOf(now) });
  return subjects.map(({ id, name: environment, times }, i) => {
    const { data: entry } = CountingEntry.safeParse(entries.get(keyText(catalogueKey(org, ENVIRONMENTS.name, id))));
    if (!entry || !times) {
      return { environment, gaps: [], unknown: [{ from, until: now, because: 'not_counted' }] };
    }
    const open = countedDay(entry);
    const known = [...(days[i]?.values() ?? []), ...(open ? [open.day] : [])];
    return { environment, ...playReports(terms, { days: known, last: entry.r, created: times.created, from, now }) };
  });
}
