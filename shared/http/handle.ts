import { absolute } from '#shared/base/addresses.ts';
import type { Made } from '#shared/table/idempotency.ts';
import type { Endpoint } from './endpoint.ts';
import { BASE_PATH } from './gateway-event.ts';

const BLANK = /\{(\w+)\}/g;

/**
 * Returns the headers that name what a request made: `Location` and `X-Resource-Id` (rules/requests.md#handles).
 *
 * @param known the parameters of the request's path; `made` adds the rest
 * @returns no headers if the request made nothing
 * @throws Error if the definition of the endpoint and its answer do not fit together, which is a fault of the service
 */
export function handleHeaders(
  { operation, makes }: Pick<Endpoint, 'operation' | 'makes'>,
  made: Made | undefined,
  { host, known }: { host: string; known: Readonly<Record<string, unknown>> },
): Record<string, string> {
  if (!made) return {};
  if (!makes) throw new Error(`${operation} answered what it made, which its definition does not have`);
  const values: Record<string, unknown> = { ...known, ...made };
  const filledIn = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new Error(`${operation} did not answer the ${name} of what it made`);
    return String(value);
  };
  const [path = '', query] = makes.at.split('?');
  const filled = absolute(host, BASE_PATH + path.replace(BLANK, (_, name: string) => filledIn(name)));
  const search = query?.replace(BLANK, (_, name: string) => encodeURIComponent(filledIn(name)));
  return { location: search === undefined ? filled : `${filled}?${search}`, 'x-resource-id': filledIn(makes.id) };
}
