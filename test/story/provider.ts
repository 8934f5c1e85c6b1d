import { beforeAll, expect } from 'vitest';
import { nameOfFile, seedSharedStack } from './shared-stack.ts';

export const ORG = nameOfFile('acme');
const KEY = 'key-of-ann';

export interface Tags {
  set_tags: Record<string, string>;
  remove_tags: string[];
}

/** The service as the public infrastructure provider calls it (wire admin §1.1, §1.5). */
export interface Provider {
  /** @returns the body of a 2xx @throws Error for any other answer: the provider would stop, or try again */
  ask<T>(method: string, path: string, json?: unknown): Promise<T>;
  /** Sends a form: texts as plain fields, files by their name. @returns the status, which creation is told by */
  upload(
    method: string,
    path: string,
    fields: Record<string, unknown>,
    files?: Record<string, string>,
  ): Promise<number>;
  /** @returns status and sentence of a refusal, which must have an id to be asked for */
  refusal(method: string, path: string, json?: unknown): Promise<[number, string]>;
}

/** Makes an organization with an admin in the shared stack; call it once, at the top of a test file. */
export function providerStory(): Provider {
  let url = '';

  beforeAll(async () => {
    const members = [{ user: 'ann', role: 'admin', api_key: KEY }];
    url = await seedSharedStack({ organizations: [{ name: ORG, features: ['controls'], members }] });
  });

  /** Without a body there is neither a content type nor anything that stands for nothing. */
  const send = (method: string, path: string, body?: string | FormData): Promise<Response> =>
    fetch(`${url}/api/v2${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${KEY}`, 'user-agent': 'terraform-provider/0.6.4', accept: 'application/json' },
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
