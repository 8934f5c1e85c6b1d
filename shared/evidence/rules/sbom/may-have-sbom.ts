/** Names of files that may be SBOMs, or archives with SBOMs. */
const NAMES = /\.(?:json|xml|spdx|cdx|tgz|tar\.gz)$/i;

/** Whether the name of a file lets it be an SBOM, or an archive with SBOMs (rules/components.md#which-files-are-read). */
export const isNamedLikeSbom = (filename: string): boolean => NAMES.test(filename);

/**
 * Whether an attestation may have an SBOM, by what its record says: it is one, or it has a file with a fitting name. Whether the file is an
 * SBOM, only its content says (rules/components.md#which-files-are-read).
 *
 * @param derived facts of the record: a bundle has its `verification` there, and `observed` marks what the service recorded itself
 */
export function mayHaveSbom({
  type,
  files,
  derived,
}: {
  type: string;
  files: readonly { filename: string }[];
  derived: Readonly<Record<string, unknown>>;
}): boolean {
  if (type === 'sbom') return true;
  // Erasing its facts removes the verification of such a bundle, which is still no SBOM.
  if (type === 'vex') return false;
  // The file of a bundle is the bundle, and the service itself attaches what it evaluated.
  if ('verification' in derived || derived['observed'] === true) return false;
  return files.some(({ filename }) => isNamedLikeSbom(filename));
}
