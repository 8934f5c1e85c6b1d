import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LocalServer } from '#infra/local/http.ts';
import { startMailEndpoint } from '#infra/local/mail-endpoint.ts';
import { FunctionRights, LOCAL_SETTINGS } from '#infra/local/rights/function-rights.ts';
import { functionAccessKeyId, LOCAL, localClient } from '#infra/local/settings.ts';
import type { TemplateJson } from '#infra/role-statements.ts';
import { newId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { type Mail, sesMailer } from '#shared/outgoing/mail.ts';
import { serviceTemplates } from '../synthesized.ts';

const directory = mkdtempSync(join(tmpdir(), 'mail-'));
let endpoint: LocalServer;

beforeAll(async () => {
  const { stateful, service } = serviceTemplates(LOCAL_SETTINGS).eu;
  const templates = { stateful: stateful.toJSON() as TemplateJson, service: service.toJSON() as TemplateJson };
  endpoint = await startMailEndpoint(directory, new FunctionRights(templates));
});
afterAll(async () => {
  await endpoint.stop();
  rmSync(directory, { recursive: true });
});

/** The mailer of a region, in the name of a function. */
function mailerOf(name: string, from: string) {
  const client = new SESv2Client({
    ...localClient(endpoint.endpoint),
    credentials: { ...LOCAL.credentials, accessKeyId: functionAccessKeyId(name) },
  });
  onTestFinished(() => client.destroy());
  return sesMailer(client, from);
}

const aMail = (): Mail => ({
  to: ['ada@example.com', 'bob@example.com'],
  subject: 'Trail started',
  text: 'Straße',
  html: '<p>Straße</p>',
  id: newId(micros(1_795_132_800_250_000)),
});

describe('the mail endpoint of the local stack', () => {
  it('writes what the notifier sends as a file that has the id of the delivery', async () => {
    const mail = aMail();
    await mailerOf('notifier', LOCAL.mailSender).send(mail);
    const file = readFileSync(join(directory, `${mail.id}.eml`), 'utf8');
    for (const header of [
      `From: ${LOCAL.mailSender}`,
      'To: ada@example.com, bob@example.com',
      'Subject: Trail started',
    ])
      expect(file).toContain(`${header}\r\n`);
  });

  it.each([
    ['relay', LOCAL.mailSender],
    ['notifier', 'somebody@local.example'],
  ])('refuses the %s a mail from %s, as its rights do', async (name, from) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const mail = aMail();
    await expect(mailerOf(name, from).send(mail)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('is not authorized to perform: ses:SendEmail'),
    });
    expect(readdirSync(directory)).not.toContain(`${mail.id}.eml`);
  });
});
