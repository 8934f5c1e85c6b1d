import type { OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { type AsideContext, setItemAside } from '#shared/sweeps/set-aside.ts';
import { requestOf } from '#shared/table/items.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import { type ChainEnd, missingEnds } from '../chain-ends.ts';
import { entryOfItem, recordKeyOf } from '../item-entries.ts';
import { type LogEntries, sendLogEntries } from '../log-message.ts';
import { withoutEntry } from '../records/claims.ts';
import { statementKey } from '../records/keys.ts';
import { StatementItem } from '../records/statements.ts';
import type { Subject } from '../rules/entry.ts';

export interface MissingEntries extends AsideContext {
  services: AsideContext['services'] & { logEntries: Queue };
}

interface Link {
  subject: Subject;
  key: Key;
}

/**
 * Sends the entries of records that are not in the log to the integrator (`rules/log.md#missing-links`). An evaluation that is
 * still pending has no entry yet.
 *
 * @param subjects of the records; a moment with the name of its trail
 * @returns how many entries were sent
 */
export const sendMissingEntries = (
  context: MissingEntries,
  org: OrganizationId,
  subjects: readonly (Subject & { name?: TrailName })[],
): Promise<number> =>
  sendMissing(
    context,
    org,
    subjects.flatMap(({ name, ...subject }) => {
      const names = subject.kind === 'trail' && name !== undefined ? new Map([[subject.trail, name]]) : undefined;
      const key = recordKeyOf(org, subject, names);
      return key ? [{ subject, key }] : [];
    }),
  );

/** Does the same as {@link sendMissingEntries} for statements that were sent to the log before an instant. */
export async function sendMissingStatements(
  context: MissingEntries,
  org: OrganizationId,
  items: readonly Item[],
  before: Micros,
): Promise<number> {
  const links: Link[] = [];
  for (const item of items) {
    const { data, error } = StatementItem.safeParse(item);
    if (!data) await setItemAside(context, item, null, error);
    else if (data.sent <= before) {
      const digest = Buffer.from(data.digest).toString('hex');
      links.push({ subject: { kind: 'statement', digest }, key: statementKey(org, data.sk) });
    }
  }
  return sendMissing(context, org, links);
}

/** Does the same as {@link sendMissingEntries} for the newest links of chains. The integrator adds those before them. */
export async function sendMissingEnds(
  { services, log }: MissingEntries,
  org: OrganizationId,
  ends: readonly ChainEnd[],
): Promise<void> {
  const { entries, trails } = await missingEnds({ table: services.table, org, log }, ends);
  await sendLogEntries(services, { org, entries: entries.map(({ bytes }) => bytes), trails, requests: [] });
}

async function sendMissing(context: MissingEntries, org: OrganizationId, links: readonly Link[]): Promise<number> {
  const { table } = context.services;
  const missing = await withoutEntry(table, org, links, ({ subject }) => subject);
  const items = await table.getMany(missing.map(({ key }) => key));
  const requests = new Set<string>();
  const news: Omit<LogEntries, 'requests'> = { org, entries: [], trails: new Map() };
  for (const { key } of missing) {
    const item = items.get(keyText(key));
    if (!item) continue;
    try {
      const entry = entryOfItem(item);
      if (!entry) continue;
      news.entries.push(entry.bytes);
      const request = requestOf(item);
      if (request !== undefined) requests.add(request);
      if (entry.trail) news.trails.set(entry.trail.id, entry.trail.name);
    } catch (error) {
      // Errors of reading are values here, so that an unsound item does not keep the sweep from those behind it.
      await setItemAside(context, key, null, error);
    }
  }
  await sendLogEntries(context.services, { ...news, requests: [...requests] });
  return news.entries.length;
}
