import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { systemClock } from '#shared/base/time.ts';
import { fileMailer } from './file-mailer.ts';
import { type LocalServer, startServer } from './http.ts';
import { readBody } from './request-body.ts';
import type { FunctionRights } from './rights/function-rights.ts';
import { mailAccesses } from './rights/service-calls.ts';
import { accessKeyIdOf } from './settings.ts';

/** The operation SendEmail of the mail service, the only one that functions call. */
const SEND_PATH = '/v2/email/outbound-emails';
/** The mail service accepts messages of 40 MB. The service itself sends texts of a few kilobytes. */
const BODY_LIMIT = 1024 * 1024;

const Text = z.object({ Data: z.string(), Charset: z.literal('UTF-8') });

/** A mail as functions send it. The strict objects refuse what the file would not show. */
const SendEmail = z.strictObject({
  FromEmailAddress: z.string(),
  Destination: z.strictObject({ ToAddresses: z.array(z.string()) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: Text,
      Body: z.strictObject({ Text, Html: Text }),
      Headers: z.tuple([z.strictObject({ Name: z.literal('X-Delivery-Id'), Value: z.string() })]),
    }),
  }),
});

/**
 * Starts an endpoint that stands for the mail service: it checks the rights of the calling function and writes each mail into a
 * directory.
 */
export const startMailEndpoint = (directory: string, rights: FunctionRights): Promise<LocalServer> =>
  startServer(
    (request, response) => answer(request, response, directory, rights),
    (error, response) => {
      console.error('The mail endpoint could not store a mail', error);
      refuse(response, 500, 'InternalServiceErrorException', 'The log of the local stack has the error.');
    },
  );

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  directory: string,
  rights: FunctionRights,
): Promise<void> {
  const body = await readBody(request, BODY_LIMIT);
  if (request.method !== 'POST' || request.url !== SEND_PATH) {
    return refuse(response, 404, 'NotFoundException', 'The local stack knows the operation SendEmail only.');
  }
  const mail = SendEmail.safeParse(body && JSON.parse(body.toString()));
  if (!mail.success) return refuse(response, 400, 'BadRequestException', z.prettifyError(mail.error));
  const { FromEmailAddress: from, Destination, Content } = mail.data;
  const refused = rights.refusalOf(accessKeyIdOf(request.headers.authorization), () => mailAccesses(from));
  if (refused) return refuse(response, 403, 'AccessDeniedException', refused.message);
  const { Subject, Body, Headers } = Content.Simple;
  await fileMailer(directory, { from }).send({
    to: Destination.ToAddresses,
    subject: Subject.Data,
    text: Body.Text.Data,
    html: Body.Html.Data,
    id: Headers[0].Value,
  });
  response.writeHead(200, JSON_TYPE).end(JSON.stringify({ MessageId: newId(systemClock().now()) }));
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers with an error. The SDK takes its name from the header. */
function refuse(response: ServerResponse, status: number, name: string, message: string): void {
  response.writeHead(status, { ...JSON_TYPE, 'x-amzn-errortype': name }).end(JSON.stringify({ message }));
}
