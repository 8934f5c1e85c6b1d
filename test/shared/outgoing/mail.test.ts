import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { fileMailer, type Mail, sesMailer } from '#shared/outgoing/mail.ts';
import { isMailAddress } from '#shared/outgoing/mail-address.ts';
import { receiver } from './receiver.ts';

const ID = newId(1_795_132_800_250_000);
const aMail = (overrides: Partial<Mail> = {}): Mail => ({
  ...{ to: ['ada@example.com', 'bob@example.com'], subject: 'Hello', text: 'text', html: '<p>html</p>', id: ID },
  ...overrides,
});

async function setup() {
  const directory = await mkdtemp(join(tmpdir(), 'mail-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const outbox = join(directory, 'outbox');
  const mailer = fileMailer(outbox, { now: () => new Date('2026-11-20T00:00:00Z') });
  return { outbox, mailer, read: (name = `${ID}.eml`) => readFile(join(outbox, name), 'utf8') };
}

/** Header lines of a message, unfolded. */
const headersOf = (message: string) => (message.split('\r\n\r\n')[0] ?? '').replaceAll('\r\n ', ' ').split('\r\n');

const decodedSubject = (message: string) =>
  (headersOf(message).find((line) => line.startsWith('Subject: ')) ?? '')
    .slice(9)
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString('utf8'));

describe('mail as a file', () => {
  test('has both bodies, and is named by its delivery', async () => {
    const { mailer, read, outbox } = await setup();
    await mailer.send(aMail({ text: 'Straße\n', html: '<p>→</p>' }));
    expect(await readdir(outbox)).toEqual([`${ID}.eml`]);
    const message = await read();
    expect(headersOf(message)).toEqual([
      'From: notifications@localhost',
      'To: ada@example.com, bob@example.com',
      'Subject: Hello',
      'Date: Fri, 20 Nov 2026 00:00:00 +0000',
      `Message-ID: <${ID}@delivery-evidence>`,
      `X-Delivery-Id: ${ID}`,
      'MIME-Version: 1.0',
      `Content-Type: multipart/alternative; boundary="=_${ID}"`,
    ]);
    const bodies = [...message.matchAll(/base64\r\n\r\n([\s\S]*?)\r\n--/g)].map(([, body = '']) =>
      Buffer.from(body, 'base64').toString('utf8'),
    );
    expect(bodies).toEqual(['Straße\n', '<p>→</p>']);
  });

  test('is replaced by another attempt of the same delivery', async () => {
    const { mailer, read, outbox } = await setup();
    await mailer.send(aMail());
    await mailer.send(aMail({ subject: 'Again' }));
    expect(await readdir(outbox)).toHaveLength(1);
    expect(await read()).toContain('Subject: Again');
  });

  test.each(['Größe ✓', 'x'.repeat(300), 'ü'.repeat(150), '👩‍🚀'.repeat(40), '=?UTF-8?B?eA==?='])(
    'carries the subject %s in lines of bounded length',
    async (subject) => {
      const { mailer, read } = await setup();
      await mailer.send(aMail({ subject }));
      const message = await read();
      expect(decodedSubject(message)).toBe(subject);
      expect(message.split('\r\n').every((line) => line.length <= 90)).toBe(true);
    },
  );

  test('gets no header of its own from a subject', async () => {
    const { mailer, read } = await setup();
    await mailer.send(aMail({ subject: 'Hi\r\nBcc: everybody@example.com\r\n\r\nbody\u2028x' }));
    const message = await read();
    expect(headersOf(message).some((line) => line.startsWith('Bcc'))).toBe(false);
    expect(headersOf(message)).toContain('Subject: Hi Bcc: everybody@example.com body x');
  });

  test.each([[['ada@example.com\r\nBcc: bob@example.com']], [['ada@example.com, bob@example.com']], [[]]])(
    'is not sent to %j',
    async (to) => {
      const { mailer, outbox } = await setup();
      await expect(mailer.send(aMail({ to }))).rejects.toThrow('recipient');
      await expect(readdir(outbox)).rejects.toThrow('ENOENT');
    },
  );

  test('is not written anywhere else because an id says so', async () => {
    const { mailer } = await setup();
    await expect(mailer.send(aMail({ id: '../../etc/x' }))).rejects.toThrow('id of its delivery');
  });
});

describe('mail through the mail service', () => {
  test('is one request with both bodies, its recipients and the id of the delivery', async () => {
    await using service = await receiver((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"MessageId":"m1"}');
    });
    const client = new SESv2Client({
      ...{ region: 'eu-central-1', endpoint: new URL(service.url).origin },
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
