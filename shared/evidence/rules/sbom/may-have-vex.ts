/** Names of files that may be OpenVEX, or archives with it. */
const NAMES = /\.(?:json|tgz|tar\.gz)$/i;

/** Whether the name of a file lets it be OpenVEX, or an archive with OpenVEX (rules/components.md#which-files-are-read). */
export const isNamedLikeVex = (filename: string): boolean => NAMES.test(filename);

/**
 * Whether an attestation may have statements of OpenVEX, by what its record says: it is a bundle with such a predicate, or it has a file
 * with a fitting name (rules/components.md#which-files-are-read).
 *
 * @param derived facts of the record: a bundle has its `verification` there, and `observed` marks what the service recorded itself
 */
export function mayHaveVex({
  type,
  files,
  derived,
}: {
  type: string;
  files: readonly { filename: string }[];
  derived: Readonly<Record<string, unknown>>;
}): boolean {
  if (type === 'vex') return true;
  // An SBOM has one file that is read. The file of any other bundle is the bundle, and the service itself attaches what it evaluated.
  if (type === 'sbom' || 'verification' in derived || derived['observed'] === true) return false;
  return files.some(({ filename }) => isNamedLikeVex(filename));
}
