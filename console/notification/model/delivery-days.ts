import { count, listed } from '../../model/words.ts';
import type { DeliverySummary } from '../operations.ts';

const DAY = 86_400;
const DAYS = 7;

/** A day in UTC, and what became of the deliveries of its events. */
interface DeliveryDay {
  date: string;
  delivered: number;
  /** Dead and discarded. */
  failed: number;
  pending: number;
  /** False if older deliveries of the day, or all of them, were not read. */
  isComplete: boolean;
}

const dateOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

/** The first instant of the first day that is counted, in seconds. */
export const firstInstant = (now: number): number => Math.floor(now / DAY) * DAY - (DAYS - 1) * DAY;

/**
 * Counts deliveries by the day of their event, the oldest day first.
 * @param deliveries the newest first, of the last seven days
 * @param hasMore whether there are older ones of these days
 */
export function deliveryDays(
  deliveries: readonly Pick<DeliverySummary, 'event' | 'state' | 'unreadable'>[],
  hasMore: boolean,
  now: number,
): DeliveryDay[] {
  const readable = deliveries.filter(({ unreadable }) => unreadable !== true);
  const oldest = readable.at(-1)?.event.timestamp ?? now;
  return Array.from({ length: DAYS }, (_, n) => {
    const start = firstInstant(now) + n * DAY;
    const of = (...states: string[]) =>
      readable.filter(
        ({ event: { timestamp: at }, state }) => at >= start && at < start + DAY && states.includes(state),
      ).length;
    return {
      date: dateOf(start),
      delivered: of('delivered'),
      failed: of('dead', 'discarded'),
      pending: of('pending'),
      isComplete: !hasMore || start > oldest,
    };
  });
}

/** What a bar says. */
export function dayText({ date, delivered, failed, pending, isComplete }: DeliveryDay): string {
  const parts = [
    `${delivered} delivered`,
    `${failed} dead or discarded`,
    ...(pending > 0 ? [`${pending} pending`] : []),
  ];
  return `${date}: ${isComplete ? '' : 'at least '}${listed(parts)}`;
}

/** What the bars say together. */
export function daysSentence(days: readonly DeliveryDay[]): string {
  const sum = (of: (day: DeliveryDay) => number) => days.reduce((total, day) => total + of(day), 0);
  const [delivered, failed, pending] = [
    sum((day) => day.delivered),
    sum((day) => day.failed),
    sum((day) => day.pending),
  ];
  const all = delivered + failed + pending;
  const reach = days.find(({ isComplete }) => isComplete)?.date;
  const cut = days.every(({ isComplete }) => isComplete)
    ? ''
    : ` These are the newest; ${reach === undefined ? 'no day is complete' : `days from ${reach} on are complete`}.`;
  if (all === 0) return `No event of the last ${DAYS} days was sent.${cut}`;
  const parts = [
    `${delivered} delivered`,
    `${failed} dead or discarded`,
    ...(pending > 0 ? [`${pending} pending`] : []),
  ];
  return `${count(all, 'delivery')} in ${DAYS} days: ${listed(parts)}.${cut}`;
}
