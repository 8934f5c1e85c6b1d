import { createHash } from 'node:crypto';

/** Returns a weak tag of a body: it is the same as long as the content is, whatever the coding (rules/requests.md#etags). */
export const weakTag = (body: string): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/** Returns whether the caller has the version of a body with this tag. @param ifNoneMatch the header of the request */
export function hasVersion(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => opaque(one) === opaque(tag));
}
