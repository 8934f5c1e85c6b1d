import { runOperator } from '#functions/operator/run-operator.ts';
import type { ApiRequest, TestApi } from '#test/support/api.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

interface Sender {
  org: string;
  call(method: string, path: string, request?: ApiRequest): Promise<TestAnswer>;
}

/**
 * Sends a write to the API.
 *
 * @param path with `ORG` in the place of the organization
 * @returns the parsed answer
 * @throws Error if the service refuses the write
 */
export async function sent(
  to: Sender,
  method: string,
  path: string,
  json?: unknown,
  more: ApiRequest = {},
): Promise<unknown> {
  const request = { ...(json !== undefined && { json }), ...more };
  const answer = await to.call(method, path.replace('ORG', to.org), request);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Runs a command of the operator. @throws Error if it is refused */
export async function operate({ services }: TestApi, command: Record<string, unknown>): Promise<void> {
  const { ok, message } = await runOperator(services, command);
  if (!ok) throw new Error(message);
}
