/** Where a protected resource says which authorization server issues tokens for it (RFC 9728, section 3). */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Returns the address of the metadata of a resource: the well-known path stands before the path of the resource. */
export function metadataOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return origin + WELL_KNOWN + pathname;
}
