import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { isId } from '#shared/base/ids.ts';
import { isMailAddress, MOST_RECIPIENTS } from './mail-address.ts';
import { TIME_LIMIT_MILLIS } from './post.ts';

export interface Mail {
  /** Plain addresses, without names. */
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Id of the delivery: the same over all attempts. */
  id: string;
}

export interface Mailer {
  /** @throws Error when the mail was not handed over */
  send(mail: Mail): Promise<void>;
}

/** Sends through the mail service. @param from verified sender address */
export const sesMailer = (client: Pick<SESv2Client, 'send'>, from: string): Mailer => ({
  async send(mail) {
    const content = (Data: string) => ({ Data, Charset: 'UTF-8' });
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: checkedRecipients(mail.to) },
        Content: {
          Simple: {
            Subject: content(oneLine(mail.subject)),
            Body: { Text: content(mail.text), Html: content(mail.html) },
            Headers: [{ Name: 'X-Delivery-Id', Value: checkedId(mail.id) }],
          },
        },
      }),
      { abortSignal: AbortSignal.timeout(TIME_LIMIT_MILLIS) },
    );
  },
});

/**
 * Writes each mail as `<id>.eml` into a directory, which is made where it is missing; another attempt replaces it.
 * A reader of the directory never sees half a mail.
 */
export const fileMailer = (
  directory: string,
  { from = 'notifications@localhost', now = () => new Date() }: { from?: string; now?: () => Date } = {},
): Mailer => ({
  async send(mail) {
    const path = join(directory, `${checkedId(mail.id)}.eml`);
    const message = mimeMessage(mail, from, now());
    await mkdir(directory, { recursive: true });
    await writeFile(`${path}.part`, message);
    await rename(`${path}.part`, path);
  },
});

function checkedRecipients(to: readonly string[]): string[] {
  if (to.length === 0 || to.length > MOST_RECIPIENTS) throw new Error(`A mail has 1 to ${MOST_RECIPIENTS} recipients`);
  for (const address of to) if (!isMailAddress(address)) throw new Error('A recipient is not a mail address');
  return [...to];
}

function checkedId(id: string): string {
  if (!isId(id)) throw new Error('A mail is named by the id of its delivery');
  return id;
}

/** Whatever could end a header's line becomes a space. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** The mail as RFC 5322 text: every body in base64, so that no line of theirs can pass for a boundary. */
function mimeMessage(mail: Mail, from: string, at: Date): string {
  const boundary = `=_${mail.id}`;
  const part = (type: string, text: string) =>
    [
      `--${boundary}`,
      `Content-Type: ${type}; charset=utf-8`,
      'Content-Transfer-Encoding: base64',
      '',
      ...(Buffer.from(text)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
    ].join('\r\n');
  return [
    `From: ${oneLine(from)}`,
    `To: ${checkedRecipients(mail.to).join(',\r\n ')}`,
    `Subject: ${encodedWords(oneLine(mail.subject))}`,
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.id}@delivery-evidence>`,
    `X-Delivery-Id: ${mail.id}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    part('text/plain', mail.text),
    part('text/html', mail.html),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}

/** Encoded words may have 75 characters (RFC 2047 §2): 45 bytes of UTF-8 each, none cut inside a character. */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]{0,70}$/.test(text) && !text.includes('=?')) return text;
  const words: string[] = [''];
  for (const character of text) {
    const last = words.length - 1;
    const longer = words[last] + character;
    if (Buffer.byteLength(longer) > 45) words.push(character);
    else words[last] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}
