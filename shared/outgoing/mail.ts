import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { isId } from '#shared/base/ids.ts';
import { isMailAddress, MOST_RECIPIENTS } from './mail-address.ts';
import { TIME_LIMIT_MILLIS } from './post.ts';

export interface Mail {
  /** Plain addresses without display names. */
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Id of the delivery, the same for all attempts. */
  id: string;
}

export interface Mailer {
  /** @throws Error if the mail was not accepted */
  send(mail: Mail): Promise<void>;
}

/** Sends mail through the mail service. @param from verified sender address */
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

/** @throws Error unless each recipient is one plain address */
export function checkedRecipients(to: readonly string[]): string[] {
  if (to.length === 0 || to.length > MOST_RECIPIENTS) throw new Error(`A mail has 1 to ${MOST_RECIPIENTS} recipients`);
  for (const address of to) if (!isMailAddress(address)) throw new Error('A recipient is not a mail address');
  return [...to];
}

export function checkedId(id: string): string {
  if (!isId(id)) throw new Error('A mail is named by the id of its delivery');
  return id;
}

/** Replaces characters that could end the line of a header by a space. */
export const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
