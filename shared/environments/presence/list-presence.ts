import { timeOfId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { latestOf, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { requirePresent } from '../present-environment.ts';
import { readWithEnvironment } from '../records/environments.ts';
import { readPresence, readPresenceAfter } from '../records/presence-days.ts';
import { beginOfDay, DAY, type Days, dateOf } from '../rules/deployment-frequency.ts';
import { CountingEntry, countedDay } from '../rules/reports/presence-day.ts';
import { type ShownDay, shownDays } from '../rules/reports/shown-days.ts';
import { historyOfLogical } from '../rules/sentences.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';

/** A page of days, the newest first. */
interface PresencePage {
  /** Present name. */
  environment: EnvironmentName;
  days: ShownDay[];
  total: number;
}

/**
 * Lists what came from the reporters of an environment on some days (rules/environments.md#presence), the newest day first. Days
 * before the environment was made are left out.
 *
 * @param name present name or alias
 * @throws ServiceError `not-found` if the environment does not exist or is archived, `invalid` if it is logical
 */
export async function listPresence(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  name: EnvironmentName,
  { start, last }: Days,
  { page, perPage }: { page: number; perPage: number },
): Promise<PresencePage> {
  const found = await readWithEnvironment(table, org.id, name, (id) =>
    table.get(catalogueKey(org.id, ENVIRONMENTS.name, id)),
  );
  const head = requirePresent(found?.head ?? null, org, name);
  if (head.kind === 'logical') throw historyOfLogical({ env: head.name });
  const first = latestOf(start, beginOfDay(timeOfId(head.id)));
  const total = Math.max(0, (last - first) / DAY + 1);
  const newest = minus(last, (page - 1) * perPage * DAY);
  const oldest = latestOf(first, minus(newest, (perPage - 1) * DAY));
  if (newest < first) return { environment: head.name, days: [], total };
  // Read after the entry: a day that the entry no longer counts has its record.
  const [closed, after] = await Promise.all([
    readPresence(table, org.id, head.id, { from: dateOf(oldest), to: dateOf(newest) }),
    readPresenceAfter(table, org.id, head.id, dateOf(newest)),
  ]);
  const entry = CountingEntry.parse(found?.beside);
  const open = countedDay(entry);
  const isOpenLater = open !== null && open.date > dateOf(newest);
  const lastBefore = after?.before ?? (isOpenLater ? open.day.before : entry.r);
  const known = open ? new Map([...closed, [open.date, open.day]]) : closed;
  const days = shownDays({ oldest, newest }, { known, lastBefore, now: clock.now() });
  return { environment: head.name, days, total };
}
