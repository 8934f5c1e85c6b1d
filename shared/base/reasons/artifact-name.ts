/** Returns the name of an image without its registry and without a digest behind it (rules/web-console.md#names-of-artifacts). */
export function shortName(name: string): string {
  const [withoutDigest = name] = name.split('@sha256:');
  return withoutDigest.split('/').at(-1) || name;
}

/** Returns the name of an image without its tag and digest. The port of a registry is no tag. */
export function nameWithoutTag(name: string): string {
  const [withoutDigest = name] = name.split('@');
  return withoutDigest.replace(/:[^:/]*$/, '');
}
