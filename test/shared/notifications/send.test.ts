import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { systemClock } from '#shared/base/time.ts';
import { Attempt, type Notice, type Target } from '#shared/notifications/rules/records.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { type Sending, sendTo } from '#shared/notifications/send.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import type { Mail, Mailer } from '#shared/outgoing/mail.ts';
import { LOOPBACK, receiver } from '#test/shared/outgoing/receiver.ts';
import { anAttestationMoment, noticed } from './rules/notices.ts';

const HOST = 'https://evidence.example.com';
const NOTICE: Notice = noticed(anAttestationMoment());
const ID = newId(NOTICE.at);

/** An outbox in memory, and the other dependencies of sending. */
function setup(mailer?: Mailer) {
  const outbox: Mail[] = [];
  const sending: Sending = {
    guard: addressGuard(LOOPBACK),
    host: HOST,
    clock: systemClock(),
    mailer: mailer ?? { send: async (mail) => void outbox.push(mail) },
  };
  return { outbox, sending };
}

const webhook = (url: string): Target => ({ key: 'k', type: 'WEBHOOK', webhook: url, payloadVersion: '1.0' });

describe('sending to a webhook', () => {
  test('is one signed request that the convention’s own library verifies', async () => {
    await using target = await receiver();
    const secrets = [mintSecret(), mintSecret()];
    const sent = await sendTo(webhook(target.url), NOTICE, ID, secrets, setup().sending);
    expect(sent).toMatchObject({ status: 200, outcome: 'delivered' });
    expect(Attempt.parse({ ...sent, attempt: 1 })).toMatchObject({ attempt: 1, at: sent.at });
    const [request] = target.received;
    if (!request) throw new Error('nothing came');
    expect(request.headers['content-type']).toBe('application/json; charset=utf-8');
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(request.body, request.headers as Record<string, string>)).toMatchObject({
        version: '1.0',
        org: 'acme',
        event_type: 'ATTESTATION_REPORTED',
      });
    }
  });

  test('sends the same body under the same id in the next attempt', async () => {
    await using target = await receiver((response) => response.writeHead(503, { 'retry-after': '7' }).end());
    const { sending } = setup();
    const secrets = [mintSecret()];
    const sent = [];
    for (let n = 0; n < 2; n += 1) sent.push(await sendTo(webhook(target.url), NOTICE, ID, secrets, sending));
    expect(sent.map(({ outcome, retryAfter }) => [outcome, retryAfter])).toEqual([
      ['failed', '7'],
      ['failed', '7'],
    ]);
    const [first, second] = target.received;
    expect(second?.body).toBe(first?.body);
    expect([first, second].map((request) => request?.headers['webhook-id'])).toEqual([ID, ID]);
  });

  test('throws for a webhook without a secret, and for a target without an address', async () => {
    const { sending } = setup();
    await expect(sendTo(webhook('http://127.0.0.1:9/'), NOTICE, ID, [], sending)).rejects.toThrow('without a secret');
    await expect(sendTo({ key: 'k', type: 'WEBHOOK' }, NOTICE, ID, [], sending)).rejects.toThrow('without its address');
  });

  test('is refused if the deployment does not allow the address', async () => {
    await using target = await receiver();
    const sending = { ...setup().sending, guard: addressGuard() };
    const sent = await sendTo(webhook(target.url), NOTICE, ID, [mintSecret()], sending);
    expect(sent).toMatchObject({ status: null, outcome: 'refused' });
    expect(target.received).toEqual([]);
  });
});

test('sending to a chat channel sends an unsigned text', async () => {
  await using target = await receiver();
  const sent = await sendTo({ key: 'k', type: 'CHAT', webhook: target.url }, NOTICE, ID, [], setup().sending);
  expect(sent.outcome).toBe('delivered');
  const [request] = target.received;
  expect(Object.keys(JSON.parse(request?.body ?? ''))).toEqual(['text']);
  expect(JSON.parse(request?.body ?? '').text).toContain('*Attestation unit-tests is compliant*');
  expect(request?.headers).not.toHaveProperty('webhook-signature');
});

describe('sending mail', () => {
  const target: Target = { key: 'k', type: 'EMAIL', emails: ['ada@example.com', 'bob@example.com'] };

  test('hands over one mail with the id of the delivery', async () => {
    const { outbox, sending } = setup();
    expect(await sendTo(target, NOTICE, ID, [], sending)).toMatchObject({
      status: null,
      outcome: 'delivered',
      digest: null,
    });
    expect(outbox).toMatchObject([{ to: target.emails, id: ID, subject: expect.stringContaining('unit-tests') }]);
  });

  test('fails if the mailer refuses, with a detail that names no account of ours', async () => {
    const { sending } = setup({
      send: async () => {
        throw Object.assign(new Error('account 123 may not'), { name: 'MessageRejected' });
      },
    });
    const sent = await sendTo(target, NOTICE, ID, [], sending);
    expect(sent).toMatchObject({ outcome: 'failed', detail: 'The mail was not handed over (MessageRejected)' });
  });
});
