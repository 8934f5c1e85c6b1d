import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type StackFile, temporaryDir } from '#test/support/stack-process.ts';
import { createOrganization, KEYS, newOrganizationName } from './shared-stack.ts';

export const ORG = 'acme';
export const KEY = 'key-of-ann';

export interface Answer {
  status: number;
  text: string;
}

export interface Sent {
  json?: unknown;
  /** The document of a form. */
  form?: unknown;
  /** Name of the part with the document. @default data_json */
  part?: string;
  /** Files of the form: name of the part → text. */
  files?: Record<string, string>;
  headers?: Record<string, string>;
}

/** A running stack as the writers and the checks use it. */
export interface Stack {
  /** @param path below `/api/v2`, without the organization, which is put behind the first segment */
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** @throws Error for anything but 200 */
  get<T>(path: string): Promise<T>;
  kill(): void;
}

/** Creates an organization in the shared stack. @returns the calls of its admin */
export async function organizationApi(): Promise<Pick<Stack, 'call' | 'get'>> {
  const name = newOrganizationName(ORG);
  await createOrganization(name, ['controls', 'evaluations'], { ann: 'admin' });
  return callsOf(inject('stack').url, name, KEYS.ann);
}

export const stackApi = ({ url, pid }: StackFile): Stack => ({
  ...callsOf(url, ORG, KEY),
  kill: () => process.kill(pid, 'SIGKILL'),
});

/** Returns functions that call a running stack with an API key. @param seen called with every answer and its headers */
export function callsOf(
  url: string,
  org: string,
  key: string,
  seen: (method: string, path: string, answer: Answer, headers: Headers) => void = () => {},
): Pick<Stack, 'call' | 'get'> {
  const call: Stack['call'] = async (method, path, { json, form, part = 'data_json', files = {}, headers } = {}) => {
    const address = `${url}/api/v2${path.replace(/^\/[\w-]+/, (group) => `${group}/${org}`)}`;
    const body = form === undefined ? undefined : new FormData();
    body?.append(part, JSON.stringify(form));
    for (const [name, text] of Object.entries(files)) body?.append(name, new Blob([text]), `${name}.txt`);
    const response = await fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const answer: Answer = { status: response.status, text: await response.text() };
    seen(method, path, answer, response.headers);
    return answer;
  };
  return {
    call,
    async get<T>(path: string) {
      const { status, text } = await call('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
      return JSON.parse(text) as T;
    },
  };
}

export const newFingerprint = (): string => randomBytes(32).toString('hex');

/** A seed file that makes the organization with an admin who has the key. */
export function seedWithKey(): string {
  const file = join(temporaryDir(), 'seed.json');
  const members = [{ user: 'ann', role: 'admin', api_key: KEY }];
  writeFileSync(
    file,
    JSON.stringify({ organizations: [{ name: ORG, features: ['controls', 'evaluations'], members }] }),
  );
  return file;
}
