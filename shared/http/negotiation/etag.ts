import { createHash } from 'node:crypto';

/**
 * Returns the tag of a body. It is weak, because the compressed and the plain form of a body have the same tag
 * (rules/requests.md#etags).
 */
export const weakTag = (body: string): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/** Returns whether the caller has the version of a body with this tag. @param ifNoneMatch the header of the request */
export function hasVersion(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => opaque(one) === opaque(tag));
}
