import { describe, expect, it } from 'vitest';
import { daysSentence, dayText, deliveryDays, firstInstant } from '#console/notification/model/delivery-days.ts';

const NOW = Date.parse('2026-11-22T15:00:00Z') / 1000;
const at = (text: string, state: 'delivered' | 'dead' | 'pending' | 'discarded') => ({
  event: { id: '', type: '', timestamp: Date.parse(text) / 1000, description: '', test: false },
  state,
});
const found = [
  at('2026-11-22T14:00:00Z', 'pending'),
  at('2026-11-22T00:00:00Z', 'delivered'),
  at('2026-11-21T23:59:59Z', 'dead'),
  at('2026-11-20T12:00:00Z', 'discarded'),
  at('2026-11-20T11:00:00Z', 'delivered'),
];

describe('deliveries of seven days', () => {
  it('counts by the day of the event in UTC, today last', () => {
    expect(new Date(firstInstant(NOW) * 1000).toISOString()).toBe('2026-11-16T00:00:00.000Z');
    const days = deliveryDays(found, false, NOW);
    expect(days).toHaveLength(7);
    expect(days.slice(4).map(dayText)).toEqual([
      '2026-11-20: 1 delivered and 1 dead or discarded',
      '2026-11-21: 0 delivered and 1 dead or discarded',
      '2026-11-22: 1 delivered, 0 dead or discarded and 1 pending',
    ]);
    expect(daysSentence(days)).toBe('5 deliveries in 7 days: 2 delivered, 2 dead or discarded and 1 pending.');
  });

  it('does not take days for complete that older deliveries may belong to', () => {
    const days = deliveryDays(found, true, NOW);
    expect(days.map(({ isComplete }) => isComplete)).toEqual([false, false, false, false, false, true, true]);
    expect(dayText(days[4] as (typeof days)[number])).toBe('2026-11-20: at least 1 delivered and 1 dead or discarded');
    expect(daysSentence(days)).toContain('days from 2026-11-21 on are complete');
  });

  it('says that nothing was sent', () => {
    expect(daysSentence(deliveryDays([], false, NOW))).toBe('No event of the last 7 days was sent.');
  });
});
