import { isNamedLikeSbom } from '#shared/evidence/rules/sbom/may-have-sbom.ts';

/**
 * Whether an attestation was erased, or a file that may be its SBOM. What is left of an SBOM of which one file was erased would look like
 * the whole, so all of it counts as erased (rules/erasure.md#components).
 */
export const isSbomErased = ({
  facts,
  files,
  type,
}: {
  facts: { store: string };
  files: readonly { erased?: object | undefined; filename: string }[];
  type: string;
}): boolean =>
  facts.store === 'erased' ||
  files.some(({ erased, filename }) => erased !== undefined && (type === 'sbom' || isNamedLikeSbom(filename)));
