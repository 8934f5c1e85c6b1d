import { SESv2Client } from '@aws-sdk/client-sesv2';
import { deployedQueues } from '#functions/deployed-queues.ts';
import { deployedTable, once } from '#functions/services.ts';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { loadNotifierEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { type Mailer, sesMailer } from '#shared/outgoing/mail.ts';
import type { RefreshServices } from '#shared/signers/public-root/refresh-public-root.ts';
import { meter } from '#shared/table/meter.ts';

/** Services of the function: those of notifications, and where public roots come from, if they are refreshed. */
type FunctionServices = NotifierServices & Partial<Pick<RefreshServices, 'publicRoot'>>;

/** The services of the deployed notifier. They are created at the first call and reused. */
export const lambdaNotifierServices = (): (() => FunctionServices) =>
  once(() => {
    const { TABLE_NAME, DELIVERIES_URL, ALLOWED_NETWORKS, PUBLIC_URL, MAIL_SENDER, ROOT_REPOSITORY } =
      loadNotifierEnvironment();
    return {
      table: deployedTable(TABLE_NAME),
      clock: systemClock(),
      deliveries: deployedQueues()(DELIVERIES_URL),
      guard: addressGuard(ALLOWED_NETWORKS),
      mailer:
        MAIL_SENDER === undefined ? noMailer : sesMailer(meter(new SESv2Client(CLIENT_SETTINGS), 'SES'), MAIL_SENDER),
      host: PUBLIC_URL,
      ...(ROOT_REPOSITORY !== undefined && { publicRoot: { repository: ROOT_REPOSITORY } }),
    };
  });

/**
 * The mailer of a deployment without a verified sender. Its e-mail targets fail, and the detail of their attempts has
 * the name of this error.
 */
const noMailer: Mailer = {
  send: () => Promise.reject(Object.assign(new Error('There is no sender of mail'), { name: 'NoMailSender' })),
};
