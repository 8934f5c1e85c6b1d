import { describe, expect, test } from 'vitest';
import { RELAY_LINES, SIGNAL_LINES } from '#infra/constructs/log-lines.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { EPOCH, type Micros, plus } from '#shared/base/time.ts';
import { serviceTemplates } from '#test/infra/synthesized.ts';
import { PlayedAlarms } from './played-alarms.ts';

const { watch } = serviceTemplates(OPTIONAL_SETTINGS).eu;
const MINUTE = 60;

const played = () => new PlayedAlarms(watch, 'eu');
/** The beginning of a period of all alarms, in seconds. */
const START = 1_795_500_000;
const at = (seconds: number): Micros => plus(EPOCH, (START + seconds) * 1_000_000);
const refused = JSON.stringify({ message: SIGNAL_LINES.delivery, target: 'EMAIL', outcome: 'failed' });

describe('played alarms', () => {
  test('count lines of one function in one period, and mail their text', () => {
    const alarms = played();
    for (const second of [1, 2]) alarms.takeLine('notifier', refused, at(second));
    alarms.takeLine('relay', refused, at(3));
    alarms.takeLine('notifier', refused, at(301));
    expect(alarms.stateOf('MailsRefused', at(5 * MINUTE)).isRaised).toBe(false);
    alarms.takeLine('notifier', refused, at(4));
    expect(alarms.stateOf('MailsRefused', at(4 * MINUTE)).isRaised).toBe(false);
    expect(alarms.stateOf('MailsRefused', at(5 * MINUTE))).toEqual({
      isRaised: true,
      text: 'Notifications by mail do not arrive: the mail service refuses to send them. What to do: docs/runbook.md#mailsrefused',
    });
    expect(alarms.stateOf('MailsRefused', at(10 * MINUTE)).isRaised).toBe(false);
  });

  test('add the metrics of an expression, and are raised by two of three periods', () => {
    const alarms = played();
    const throttle = (metric: string, seconds: number, value: number) =>
      alarms.takeSample('TableThrottled', metric, 'EvidenceTable', at(seconds), value);
    throttle('ReadThrottleEvents', 1, 25);
    throttle('WriteThrottleEvents', 2, 25);
    throttle('WriteThrottleEvents', 301, 49);
    expect(alarms.stateOf('TableThrottled', at(10 * MINUTE)).isRaised).toBe(false);
    throttle('WriteThrottleEvents', 601, 50);
    expect(alarms.stateOf('TableThrottled', at(15 * MINUTE)).isRaised).toBe(true);
    expect(alarms.stateOf('TableThrottled', at(20 * MINUTE)).isRaised).toBe(false);
  });

  test('take the largest sample of a queue, and no queue besides', () => {
    const alarms = played();
    const sample = (age: number) =>
      alarms.takeSample('StuckLogEntries', 'ApproximateAgeOfOldestMessage', 'GetAttLogEntriesQueueName', at(1), age);
    sample(299);
    expect(alarms.stateOf('StuckLogEntries', at(5 * MINUTE)).isRaised).toBe(false);
    sample(300);
    sample(2);
    expect(alarms.stateOf('StuckLogEntries', at(5 * MINUTE)).isRaised).toBe(true);
    expect(() => alarms.takeSample('StuckLogEntries', 'ApproximateAgeOfOldestMessage', 'DeadVisits', at(1), 1)).toThrow(
      'StuckLogEntries reads 0 metrics ApproximateAgeOfOldestMessage of DeadVisits',
    );
  });

  test('read numbers from lines, and are raised by missing data where the alarm says so', () => {
    const alarms = played();
    const line = (age: number) => JSON.stringify({ message: RELAY_LINES.visits, oldest_seconds: age });
    alarms.takeLine('relay', line(601), at(1));
    alarms.takeLine('relay', line(700), at(301));
    expect(alarms.stateOf('VisitsLate', at(10 * MINUTE)).isRaised).toBe(true);
    expect(alarms.stateOf('SweeperBehind', at(15 * MINUTE)).isRaised).toBe(true);
    alarms.takeSample('SweeperBehind', 'Invocations', 'sweep-events', at(1), 1);
    expect(alarms.stateOf('SweeperBehind', at(15 * MINUTE)).isRaised).toBe(false);
  });

  test('say after seven days that the public root is old, and not before', () => {
    const others = { deliveries_seconds: 0, evaluations_seconds: 0, exports_seconds: 0, looks_seconds: 0 };
    const line = (age: number) => JSON.stringify({ message: SIGNAL_LINES.swept, ...others, public_root_seconds: age });
    const raisedBy = (age: number) => {
      const alarms = played();
      for (const second of [1, 301]) alarms.takeLine('relay', line(age), at(second));
      return alarms.stateOf('PublicRootOld', at(10 * MINUTE)).isRaised;
    };
    expect([7 * 86_400 - 1, 7 * 86_400].map(raisedBy)).toEqual([false, true]);
  });

  test('refuse an alarm whose metrics they cannot compute', () => {
    expect(() => played().stateOf('DeliveriesFail', at(0))).toThrow(
      'The expressions ["IF(failed + delivered >= 20, failed / (failed + delivered), 0)","FILL(f, 0)","FILL(d, 0)"] cannot be played',
    );
  });
});
