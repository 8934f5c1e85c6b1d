import { shortName } from '#shared/base/reasons/artifact-name.ts';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import { explainingOf, withoutFailing, withReasons } from '#shared/notifications/explain-moments.ts';
import { noticeReason } from '#shared/notifications/rules/notice-reason.ts';
import type { Delivery, Notice, NoticeReason } from '#shared/notifications/rules/records.ts';
import type { EffectsContext } from './effects-context.ts';
import type { EventsOf } from './records/event-items.ts';
import type { SnapshotRow } from './rules/content.ts';
import { explainRows } from './snapshots/explain-rows.ts';

/** Most artifacts of a snapshot whose reasons are worked out for messages (rules/notifications.md#reason). */
const MOST_ROWS = 20;

/**
 * Adds to the deliveries of a snapshot why an environment became non-compliant, and why an artifact that started is not compliant
 * (rules/notifications.md#reason).
 *
 * @param rows the rows of the snapshot; of a logical environment those of the member's snapshot that caused it
 * @returns the same deliveries, in their order. If the reasons cannot be worked out, they have none
 */
export async function explainFired(
  context: Pick<EffectsContext, 'services' | 'log' | 'evaluationsOf'>,
  { org, environment, snapshot }: EventsOf,
  rows: readonly SnapshotRow[],
  due: readonly Delivery[],
): Promise<Delivery[]> {
  const failing = rows.filter(({ annotation: { now }, compliant }) => now > 0 && compliant === false);
  const notices = [...new Map(due.map(({ notice }) => [notice.event, notice])).values()];
  const wanted = notices.flatMap((notice) => {
    const row = causeOf(notice, failing);
    return row ? [{ notice, row }] : [];
  });
  const explained = [...new Set(wanted.map(({ row }) => row))].slice(0, MOST_ROWS);
  const [first] = wanted;
  if (!first) return [...due];
  const explaining = explainingOf(context);
  const reasons = await withoutFailing(explaining, org, async () => {
    const place = { host: '', org: { id: org, name: first.notice.org } };
    const shown = { head: { name: environment.name }, parts: { summary: { at: snapshot.at } } };
    const chains = await explainRows(explaining.reading, place, shown, explained);
    const stepsOf = new Map(explained.map((row, n) => [row, chains[n]?.steps ?? []]));
    return new Map(
      wanted.flatMap(({ notice, row }) => {
        const reason = reasonOf(notice, row, stepsOf.get(row) ?? [], failing.length);
        return reason ? [[notice.event, reason] as const] : [];
      }),
    );
  });
  return withReasons(due, reasons);
}

/** The row that a message is about; undefined if the message needs no reason. */
function causeOf({ trigger, artifact }: Notice, failing: readonly SnapshotRow[]): SnapshotRow | undefined {
  if (trigger === 'ON_NON_COMPLIANT_ENV') return failing[0];
  if (trigger !== 'ON_STARTED_ARTIFACT' || !artifact) return undefined;
  return failing.find(({ name, fingerprint }) => name === artifact.name && fingerprint === artifact.fingerprint);
}

function reasonOf(
  { trigger }: Notice,
  { name }: SnapshotRow,
  steps: readonly ReasonStep[],
  failing: number,
): NoticeReason | undefined {
  const others = trigger === 'ON_NON_COMPLIANT_ENV' ? failing - 1 : 0;
  const more = `; ${others} other ${others === 1 ? 'artifact is' : 'artifacts are'} not compliant either`;
  return noticeReason(shortName(name), steps, others === 0 ? '' : more);
}
