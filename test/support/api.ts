import { BASE_PATH } from '#shared/base/addresses.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import type { SignInServices } from '#shared/organizations/sign-in/provider.ts';
import { heldEndpoint } from './declared-uses.ts';
import { encodeForm, type TestForm } from './form.ts';
import { call, type TestAnswer } from './gateway.ts';
import { type TestServices, testServices } from './services.ts';

export interface ApiRequest {
  /** API key; nobody is said to ask when absent. */
  key?: string;
  json?: unknown;
  /** A body that is sent as it is, as JSON. */
  text?: string;
  form?: TestForm | FormData;
  /** A body that is sent as it is, under the content type of `headers`. */
  bytes?: Buffer;
  /** Encoded, without the question mark. */
  query?: string;
  headers?: Record<string, string>;
  cookies?: string[];
}

export interface TestApi {
  services: TestServices;
  /** The log so far: one line per request, with its AWS calls. */
  entries: LogEntry[];
  /** Sends a request to a path below `/api/v2`, given decoded. */
  call(method: string, path: string, request?: ApiRequest): Promise<TestAnswer>;
}

/**
 * Endpoint groups behind the real chain, on a table and a bucket of the local stack and with the real engines. Call it
 * at the top of a test file: what it starts ends with the file.
 *
 * @param more services that take the place of the usual ones
 */
export async function testApi(
  groups: readonly EndpointGroup[],
  more: Partial<TestServices & SignInServices> = {},
): Promise<TestApi> {
  const services = await testServices(more);
  const group = { name: 'test', endpoints: groups.flatMap(({ endpoints }) => endpoints.map(heldEndpoint)) };
  const entries: LogEntry[] = [];
  const log = (entry: LogEntry) => {
    entries.push(entry);
    // Requests are quiet; a fault must be seen.
    if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
  };
  const handler = groupHandler(group, services, { log });
  return {
    services,
    entries,
    async call(method, path, { key, json, text, form, bytes, query = '', headers = {}, cookies } = {}) {
      const encoded = form && (await encodeForm(form));
      return call(handler, {
        method,
        path: BASE_PATH + path,
        query,
        headers: { 'content-type': encoded?.contentType ?? 'application/json; charset=utf-8', ...headers },
        body: bytes ?? encoded?.bytes ?? text ?? (json === undefined ? undefined : JSON.stringify(json)),
        ...(cookies && { cookies }),
        ...(key !== undefined && { key }),
      });
    },
  };
}
