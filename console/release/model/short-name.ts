/** The name of an image without its registry and without a digest behind it. */
export function shortName(name: string): string {
  const [withoutDigest = name] = name.split('@sha256:');
  return withoutDigest.split('/').at(-1) || name;
}
