import { call } from '../../client/call.ts';
import type { Write, WriteRequest } from './model/forms.ts';

/**
 * Sends what a form holds.
 * @param key Idempotency-Key: the same for the same content, so that a repeated request has one effect
 * @throws ApiProblem if the service refuses it, or if no answer comes
 */
export async function sendWrite({ operation }: Write, request: WriteRequest, key: string): Promise<void> {
  const { params, body, part, files = {} } = request;
  await call(operation, params, {}, part === undefined ? body : formOf(part, body, files), {
    headers: { 'idempotency-key': key },
  });
}

/** Texts are sent as files, because a browser changes the line ends of the texts of a form. */
function formOf(part: string, body: unknown, files: NonNullable<WriteRequest['files']>): FormData {
  const form = new FormData();
  form.set(part, JSON.stringify(body));
  for (const [name, { name: file, text }] of Object.entries(files)) {
    form.set(name, new File([text], file, { type: 'text/plain' }));
  }
  return form;
}
