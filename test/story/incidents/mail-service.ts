import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { type LocalServer, startServer } from '#infra/local/http.ts';

const SendEmail = z.looseObject({
  Content: z.object({ Simple: z.object({ Headers: z.tuple([z.object({ Value: z.string() })]) }) }),
});
const Sending = z.strictObject({ SendingEnabled: z.boolean() });

export interface MailService extends LocalServer {
  /** Ids of the deliveries whose mails were accepted. */
  readonly accepted: string[];
  /** Refused calls of SendEmail. */
  readonly refused: () => number;
  /** Suspends sending, as the mail service does after a review. */
  suspend(): void;
}

/**
 * Starts a server that answers SendEmail, GetAccount and PutAccountSendingAttributes as the mail service does: while sending is
 * suspended, it refuses every mail with SendingPausedException.
 */
export async function startMailService(): Promise<MailService> {
  const accepted: string[] = [];
  let refused = 0;
  let isSending = true;
  const operations: Record<string, (body: unknown) => { status: number; error?: string; answer: unknown }> = {
    'POST /v2/email/outbound-emails': (body) => {
      if (!isSending) {
        refused += 1;
        const message = 'Email sending is disabled for the account.';
        return { status: 400, error: 'SendingPausedException', answer: { message } };
      }
      const id = SendEmail.parse(body).Content.Simple.Headers[0].Value;
      accepted.push(id);
      return { status: 200, answer: { MessageId: id } };
    },
    'GET /v2/email/account': () => ({
      status: 200,
      answer: { SendingEnabled: isSending, EnforcementStatus: 'SHUTDOWN' },
    }),
    'PUT /v2/email/account/sending': (body) => {
      isSending = Sending.parse(body).SendingEnabled;
      return { status: 200, answer: {} };
    },
  };
  const server = await startServer(
    async (request, response) => {
      const body = (await buffer(request)).toString();
      const operation = operations[`${request.method} ${request.url}`];
      if (!operation) throw new Error(`The mail service of the story has no ${request.method} ${request.url}`);
      const { status, error, answer } = operation(body === '' ? undefined : JSON.parse(body));
      const type = { 'content-type': 'application/json', ...(error !== undefined && { 'x-amzn-errortype': error }) };
      response.writeHead(status, type).end(JSON.stringify(answer));
    },
    (error, response) => {
      console.error('The mail service of the story failed', error);
      response.writeHead(500).end();
    },
  );
  const suspend = () => {
    isSending = false;
  };
  return { ...server, accepted, refused: () => refused, suspend };
}
