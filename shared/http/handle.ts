import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import type { Appended, Made } from '#shared/table/idempotency.ts';
import type { Endpoint } from './endpoint.ts';

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
  const filledIn = valuesOf(operation, { ...known, ...made });
  const [path = '', query] = makes.at.split('?');
  const filled = absolute(host, BASE_PATH + path.replace(BLANK, (_, name: string) => filledIn(name)));
  const search = query?.replace(BLANK, (_, name: string) => encodeText(filledIn(name)));
  return { location: search === undefined ? filled : `${filled}?${search}`, 'x-resource-id': filledIn(makes.id) };
}

/**
 * Returns the headers that name the links which a request appended: `Evidence-Moment` and `Link`
 * (rules/log.md#headers-of-writes).
 *
 * @param known the parameters of the request's path, and what the request made
 * @returns no headers if the request appended nothing
 * @throws Error if the definition of the endpoint and its answer do not fit together, which is a fault of the service
 */
export function receiptHeaders(
  { operation, appends }: Pick<Endpoint, 'operation' | 'appends'>,
  appended: Appended | undefined,
  { host, known }: { host: string; known: Readonly<Record<string, unknown>> },
): Record<string, string> {
  if (!appended) return {};
  if (!appends) throw new Error(`${operation} answered what it appended, which its definition does not have`);
  const { first, hashes } = appended;
  const links = hashes.map((_, i) => {
    const filledIn = valuesOf(operation, { ...known, number: first + i });
    const path = appends.replace(BLANK, (_, name: string) => filledIn(name));
    return `<${absolute(host, BASE_PATH + path)}>; rel="receipt"`;
  });
  return {
    'evidence-moment': hashes.map((hash) => Buffer.from(hash).toString('hex')).join(', '),
    link: links.join(', '),
  };
}

const valuesOf =
  (operation: string, values: Readonly<Record<string, unknown>>) =>
  (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new Error(`${operation} did not answer the ${name} of what it made`);
    return String(value);
  };

/** Joins headers of an answer. Links of both stand in one header `Link`, separated by a comma (RFC 8288). */
export function joinHeaders(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const joined = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const links = [joined['link'], more['link']].filter((link) => link !== undefined);
  return { ...joined, ...more, ...(links.length > 0 && { link: links.join(', ') }) };
}
