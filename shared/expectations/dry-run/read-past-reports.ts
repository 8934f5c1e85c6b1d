import { DAY } from '#shared/base/texts/durations.ts';
import type { Micros } from '#shared/base/time.ts';
import { readPresenceOf } from '#shared/environments/records/presence-days.ts';
import { dateOf } from '#shared/environments/rules/deployment-frequency.ts';
import { CountingEntry, countedDay } from '#shared/environments/rules/reports/presence-day.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { readScope } from '../read-scope.ts';
import { playReports } from '../rules/dry-run/play-reports.ts';
import { tooMuchToPlay } from '../rules/sentences.ts';
import type { Past, PlayedSubject } from './past.ts';

/** Subjects times days of one dry run. The presence of so many days is read with at most five calls. */
const MOST_PLAYED = 9_000;

/**
 * Plays an expectation of the kind `reports` over the presence of each environment of its scope. Reads 50 of them with one call per
 * megabyte.
 *
 * @throws ServiceError `invalid` if it would look at more than {@link MOST_PLAYED} subjects times days
 */
export async function readPastReports(table: Table, { org, scope, from, now, terms }: Past): Promise<PlayedSubject[]> {
  const subjects = await readScope(table, org, scope);
  refuseTooMany(subjects.length, from, now);
  const ids = subjects.map(({ id }) => id);
  // Read before the days: a day that an entry no longer counts has its record.
  const entries = await table.getMany(ids.map((id) => catalogueKey(org, ENVIRONMENTS.name, id)));
  const days = await readPresenceOf(table, org, ids, { from: dateOf(from), to: dateOf(now) });
  return subjects.map(({ id, name: environment, times }, i) => {
    const subject = { type: 'environment' as const, environment };
    const { data: entry } = CountingEntry.safeParse(entries.get(keyText(catalogueKey(org, ENVIRONMENTS.name, id))));
    if (!entry || !times) {
      return { subject, gaps: [], unknown: [{ from, until: now, because: 'not_counted' }] };
    }
    const open = countedDay(entry);
    const known = [...(days[i]?.values() ?? []), ...(open ? [open.day] : [])];
    return { subject, ...playReports(terms, { days: known, last: entry.r, created: times.created, from, now }) };
  });
}

function refuseTooMany(subjects: number, from: Micros, now: Micros): void {
  const days = Math.floor(now / DAY) - Math.floor(from / DAY) + 1;
  if (subjects * days > MOST_PLAYED) throw tooMuchToPlay({ subjects, days, product: subjects * days });
}
