import { SESv2Client } from '@aws-sdk/client-sesv2';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { type Mail, sesMailer } from '#shared/outgoing/mail.ts';
import { isMailAddress } from '#shared/outgoing/mail-address.ts';
import { receiver } from './receiver.ts';

const ID = newId(micros(1_795_132_800_250_000));
const aMail = (overrides: Partial<Mail> = {}): Mail => ({
  to: ['ada@example.com', 'bob@example.com'],
  subject: 'Hello',
  text: 'text',
  html: '<p>html</p>',
  id: ID,
  ...overrides,
});

describe('mail through the mail service', () => {
  test('is one request with both bodies, its recipients and the id of the delivery', async () => {
    await using service = await receiver((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"MessageId":"m1"}');
    });
    const client = new SESv2Client({
      region: 'eu-central-1',
      endpoint: new URL(service.url).origin,
      credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    });
    onTestFinished(() => client.destroy());
    const mailer = sesMailer(client, 'sender@example.com');
    await mailer.send(aMail({ subject: 'Hi\nBcc: x@example.com' }));
    expect(service.received).toHaveLength(1);
    expect(JSON.parse(service.received[0]?.body ?? '')).toEqual({
      FromEmailAddress: 'sender@example.com',
      Destination: { ToAddresses: ['ada@example.com', 'bob@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: 'Hi Bcc: x@example.com', Charset: 'UTF-8' },
          Body: {
            Text: { Data: 'text', Charset: 'UTF-8' },
            Html: { Data: '<p>html</p>', Charset: 'UTF-8' },
          },
          Headers: [{ Name: 'X-Delivery-Id', Value: ID }],
        },
      },
    });
    await expect(mailer.send(aMail({ to: ['x\n@example.com'] }))).rejects.toThrow('not a mail address');
    expect(service.received).toHaveLength(1);
  });
});

test('an address of mail is one plain address', () => {
  for (const good of ['a@b.co', "o'neil+x@mail.example.org", 'A.B@EXAMPLE.COM']) expect(isMailAddress(good)).toBe(true);
  for (const bad of ['a@b', '@b.co', 'a@', 'a b@c.de', 'a@b..de', 'a@-b.de', 'a@b.de,c@d.ef', 'a@b.de\n']) {
    expect(isMailAddress(bad)).toBe(false);
  }
});
