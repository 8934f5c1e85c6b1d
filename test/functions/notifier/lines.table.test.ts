import { beforeAll, describe, expect, test } from 'vitest';
import { SIGNAL_LINES } from '#infra/constructs/log-lines.ts';
import { createDeliveries } from '#shared/notifications/records/deliveries.ts';
import type { Target } from '#shared/notifications/rules/records.ts';
import type { Mailer } from '#shared/outgoing/mail.ts';
import type { Table } from '#shared/table/table.ts';
import { queueEvent } from '#test/support/queue.ts';
import { newAction } from '#test/support/records/notified.ts';
import { testTable } from '#test/support/table.ts';
import { deliveryTo, notified } from './notified.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

/** Attempts one mail. @returns the lines of the notifier about it */
async function linesOfMail(mailer: Mailer) {
  const { org, clock, services, hand, logged } = await notified(table);
  const target: Target = { key: 'mail', type: 'EMAIL', emails: ['ada@example.com'] };
  await newAction(services, org, [target]);
  const delivery = deliveryTo(target, clock.now());
  await createDeliveries(table, org, [delivery]);
  await hand(queueEvent([{ org, action: 1, delivery: delivery.id, attempts: 0 }]), { mailer });
  return logged;
}

describe('the line of the notifier about a mail', () => {
  test('names the refusal of the mail service, and not its message', async () => {
    const refusal = Object.assign(new Error('Account 123456789012 is suspended'), {
      name: 'AccountSuspendedException',
    });
    const lines = await linesOfMail({ send: () => Promise.reject(refusal) });
    expect(lines).toMatchObject([
      {
        message: SIGNAL_LINES.delivery,
        target: 'EMAIL',
        outcome: 'failed',
        fault: 'The mail was not handed over (AccountSuspendedException)',
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('123456789012');
  });

  test('has no fault if the mail was handed over', async () => {
    const [line = {}] = await linesOfMail({ send: () => Promise.resolve() });
    expect(line).toMatchObject({ message: SIGNAL_LINES.delivery, target: 'EMAIL', outcome: 'delivered' });
    expect(line).not.toHaveProperty('fault');
  });
});
