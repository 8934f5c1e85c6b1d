import { beforeAll, expect, inject } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from './shared-stack.ts';

/** The organization of the test file that runs. `providerStory()` names it, because a worker loads this module once. */
export let ORG = '';

export interface Tags {
  set_tags: Record<string, string>;
  remove_tags: string[];
}

/** The calls that the public infrastructure provider makes. */
export interface Provider {
  /** @returns the body of an answer with status 2xx @throws Error for any other status */
  ask<T>(method: string, path: string, json?: unknown): Promise<T>;
  /** Sends a form: texts as plain fields, files by their name. @returns the status, which shows whether something was created */
  upload(
    method: string,
    path: string,
    fields: Record<string, unknown>,
    files?: Record<string, string>,
  ): Promise<number>;
  /** @returns status and sentence of a refusal. The answer must have a request id. */
  refusal(method: string, path: string, json?: unknown): Promise<[number, string]>;
}

/** Creates an organization with an admin before the tests of a file. Call it at the top of a test file. */
export function providerStory(): Provider {
  ORG = newOrganizationName('acme');
  beforeAll(() => createOrganization(ORG, ['controls'], { ann: 'admin' }));

  /** A request without a body has no content type. */
  const send = (method: string, path: string, body?: string | FormData): Promise<Response> =>
    fetch(`${inject('stack').url}/api/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${KEYS.ann}`,
        'user-agent': 'terraform-provider/0.6.4',
        accept: 'application/json',
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  const sendJson = (method: string, path: string, json?: unknown) =>
    send(method, path, json === undefined ? undefined : JSON.stringify(json));

  const accepted = async (response: Response, what: string): Promise<Response> => {
    if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
    return response;
  };

  return {
    async ask<T>(method: string, path: string, json?: unknown) {
      const response = await accepted(await sendJson(method, path, json), `${method} ${path}`);
      return (await response.json()) as T;
    },

    async upload(method, path, fields, files = {}) {
      const form = new FormData();
      for (const [part, document] of Object.entries(fields)) form.append(part, JSON.stringify(document));
      for (const [part, text] of Object.entries(files)) form.append(part, new Blob([text]), `${part}.txt`);
      const response = await accepted(await send(method, path, form), `${method} ${path}`);
      expect(await response.json()).toBe('OK');
      return response.status;
    },

    async refusal(method, path, json) {
      const response = await sendJson(method, path, json);
      expect(response.headers.get('x-request-id')).toEqual(expect.stringMatching(/./));
      const { message } = (await response.json()) as { message: string };
      return [response.status, message];
    },
  };
}
