import { StoredBody } from './bodies.ts';

/**
 * Returns a stored record as JSON values: bytes in hex, without undefined members.
 *
 * @param bodyJson returns the form of a body
 */
export function recordJson(value: unknown, bodyJson: (body: StoredBody) => unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map((part) => recordJson(part, bodyJson));
  if (typeof value !== 'object' || value === null) return value;
  const body = isBodyLike(value) ? StoredBody.safeParse(value).data : undefined;
  if (body) return bodyJson(body);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, recordJson(member, bodyJson)]),
  );
}

const isBodyLike = (value: object): boolean => 'store' in value && 'digest' in value && 'salt' in value;
