import type { Id } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Explanation, explainEvent } from '#shared/notifications/explain-event.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { readGap } from '../records/gaps.ts';
import { gapEvents, gapNotice } from '../rules/gaps/gap-notices.ts';
import { readEventSubjects } from './event-subjects.ts';
import { withPresentNames } from './present-names.ts';

/** An event that a gap fired, and for each action whether it was notified. */
interface ExplainedGap {
  /** With present names. */
  notice: Notice;
  actions: Explanation[];
}

/**
 * Explains for each action whether an event of a gap notified it (rules/notifications.md#who-was-told).
 *
 * @throws ServiceError `not-found` if there is no such gap, or if it has not fired the trigger
 */
export async function explainGap(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { gap: id, trigger }: { gap: Id; trigger: string },
): Promise<ExplainedGap> {
  const stored = await readGap(table, org.id, id);
  const [gap] = stored ? await withPresentNames(table, org.id, [stored]) : [];
  const event = gap && gapEvents(gap).find((one) => one.trigger === trigger);
  if (!gap || !event) throw eventNotFound();
  const notice = gapNotice(gap, event, org.name);
  const [subject = { flows: [] }] = await readEventSubjects(table, org.id, [gap]);
  return { notice, actions: await explainEvent(table, org.id, { notice, subject, at: event.at }) };
}
