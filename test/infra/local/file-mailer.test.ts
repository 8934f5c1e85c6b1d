import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileMailer } from '#infra/local/file-mailer.ts';
import { newId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import type { Mail } from '#shared/outgoing/mail.ts';

const ID = newId(micros(1_795_132_800_250_000));
const aMail = (overrides: Partial<Mail> = {}): Mail => ({
  to: ['ada@example.com', 'bob@example.com'],
  subject: 'Hello',
  text: 'text',
  html: '<p>html</p>',
  id: ID,
  ...overrides,
});

/** Reads a mail with a parser that is not the writer's. */
const PARSER = `
import email, email.policy, json, sys
with open(sys.argv[1], 'rb') as file:
    mail = email.message_from_binary_file(file, policy=email.policy.default)
bodies = [[part.get_content_type(), part.get_content()] for part in mail.iter_parts()]
print(json.dumps({'headers': {name.lower(): str(value) for name, value in mail.items()}, 'bodies': bodies}))`;

interface ParsedMail {
  headers: Record<string, string>;
  bodies: [type: string, text: string][];
}

async function setup() {
  const directory = await mkdtemp(join(tmpdir(), 'mail-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const outbox = join(directory, 'outbox');
  const mailer = fileMailer(outbox, { now: () => new Date('2026-11-20T00:00:00Z') });
  const read = () =>
    JSON.parse(String(execFileSync('python3', ['-c', PARSER, join(outbox, `${ID}.eml`)]))) as ParsedMail;
  return { outbox, mailer, read };
}

describe('a mail in the outbox', () => {
  test('has its headers and both bodies, and is named by its delivery', async () => {
    const { mailer, read, outbox } = await setup();
    await mailer.send(aMail({ text: 'Straße\n', html: '<p>→</p>' }));
    expect(await readdir(outbox)).toEqual([`${ID}.eml`]);
    const { headers, bodies } = read();
    expect(headers).toMatchObject({
      from: 'notifications@local.example',
      to: 'ada@example.com, bob@example.com',
      subject: 'Hello',
      date: 'Fri, 20 Nov 2026 00:00:00 +0000',
      'message-id': `<${ID}@delivery-evidence>`,
      'x-delivery-id': ID,
    });
    expect(bodies.map(([type, text]) => [type, text.trim()])).toEqual([
      ['text/plain', 'Straße'],
      ['text/html', '<p>→</p>'],
    ]);
  });

  test('is replaced by another attempt of the same delivery', async () => {
    const { mailer, read, outbox } = await setup();
    await mailer.send(aMail());
    await mailer.send(aMail({ subject: 'Again' }));
    expect(await readdir(outbox)).toHaveLength(1);
    expect(read().headers['subject']).toBe('Again');
  });

  test.each(['Größe ✓', 'a long subject '.repeat(20).trim(), '👩‍🚀'.repeat(40)])(
    'carries the subject %s',
    async (subject) => {
      const { mailer, read } = await setup();
      await mailer.send(aMail({ subject }));
      expect(read().headers['subject']).toBe(subject);
    },
  );

  test('gets no header of its own from a subject', async () => {
    const { mailer, read } = await setup();
    await mailer.send(aMail({ subject: 'Hi\r\nBcc: everybody@example.com\r\n\r\nbody\u2028x' }));
    const { headers } = read();
    expect(headers['bcc']).toBeUndefined();
    expect(headers['subject']).toBe('Hi Bcc: everybody@example.com body x');
  });

  test.each([[['ada@example.com\r\nBcc: bob@example.com']], [['ada@example.com, bob@example.com']], [[]]])(
    'is not written for the recipients %j',
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
