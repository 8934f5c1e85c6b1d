/** Which attestations and files the worker looks into for SBOMs and OpenVEX (rules/components.md#which-files-are-read). */

/** What the record of an attestation says. */
interface Described {
  type: string;
  files: readonly { filename: string }[];
  /** A bundle has its `verification` there, and `observed` marks what the service recorded itself. */
  derived: Readonly<Record<string, unknown>>;
}

/** Whether the name of a file lets it be an SBOM, or an archive with SBOMs. */
export const isNamedLikeSbom = (filename: string): boolean => /\.(?:json|xml|spdx|cdx|tgz|tar\.gz)$/i.test(filename);

/** Whether the name of a file lets it be OpenVEX, or an archive with OpenVEX. */
export const isNamedLikeVex = (filename: string): boolean => /\.(?:json|tgz|tar\.gz)$/i.test(filename);

/** Whether an attestation may have an SBOM: it is one, or it has a file with a fitting name. The rest only the content says. */
export const mayHaveSbom = (described: Described): boolean => mayHave('sbom', isNamedLikeSbom, described);

/** Whether an attestation may have statements of OpenVEX: it is a bundle with them, or it has a file with a fitting name. */
export const mayHaveVex = (described: Described): boolean => mayHave('vex', isNamedLikeVex, described);

function mayHave(kind: string, isNamed: (filename: string) => boolean, { type, files, derived }: Described): boolean {
  // Erasing its facts removes the verification of a bundle, which is still of its type. An SBOM has one file that is read.
  if (type === 'sbom' || type === 'vex') return type === kind;
  // The file of any other bundle is the bundle, and the service itself attaches what it evaluated.
  if ('verification' in derived || derived['observed'] === true) return false;
  return files.some(({ filename }) => isNamed(filename));
}
