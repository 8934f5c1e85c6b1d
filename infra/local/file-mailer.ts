import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';
import { checkedId, checkedRecipients, type Mail, type Mailer, oneLine } from '#shared/outgoing/mail.ts';
import { LOCAL } from './settings.ts';

/**
 * Writes each mail as `<id>.eml` into a directory, and makes the directory where it is missing. Another attempt replaces
 * the file. A reader of the directory never sees half a mail.
 */
export const fileMailer = (
  directory: string,
  { from = LOCAL.mailSender, now = () => new Date() }: { from?: string; now?: () => Date } = {},
): Mailer => ({
  async send(mail) {
    const path = join(directory, `${checkedId(mail.id)}.eml`);
    const message = await mimeMessage(mail, from, now());
    await mkdir(directory, { recursive: true });
    await writeFile(`${path}.part`, message);
    await rename(`${path}.part`, path);
  },
});

const mimeMessage = (mail: Mail, from: string, date: Date): Promise<Buffer> =>
  new MailComposer({
    from,
    to: checkedRecipients(mail.to),
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    date,
    messageId: `${mail.id}@delivery-evidence`,
    headers: { 'X-Delivery-Id': mail.id },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
