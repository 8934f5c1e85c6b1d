import { lastPart, type PackageName, packageNameOf } from './package-name.ts';
import { type Answer, answerOfVersion, type PackageQuestion, UNNAMED } from './question.ts';

/** Which of the versions that an SBOM lists of a package a question means (rules/components.md#questions). */

export interface ListedVersion {
  /** Null if the component has no version. */
  version: string | null;
  /** Qualifiers of the package URL in canonical form; null if there are none. */
  qualifiers: string | null;
}

/** Versions of a package, or of components with a name and without a package URL. */
interface Listed<V> {
  package: string | null;
  versions: readonly V[];
}

export type HeldVersion<V> = V & {
  /** Text of the package; null for a component without a package URL. */
  package: string | null;
  /** Why nobody can say whether it is meant; null if it is. */
  unknown: string | null;
};

/** The packages whose versions answer a question: the asked one, then components without a package URL of its names. */
export function askedPackages({ purl, package: text }: PackageQuestion): PackageName[] {
  const { name } = packageNameOf(purl);
  const names = new Set([name, lastPart(purl.name)].map((one) => one.toLowerCase()));
  return [{ package: text, name }, ...[...names].map((one) => ({ package: null, name: one }))];
}

/** What a listed version of the asked package says to a question. */
export const answerOfListed = (question: PackageQuestion, { version, qualifiers }: ListedVersion): Answer =>
  answerOfVersion(question, { version, qualifiers: Object.fromEntries(new URLSearchParams(qualifiers ?? '')) });

/** The versions of one of the {@link askedPackages} that are asked about, or may be. */
export const heldVersions = <V extends ListedVersion>(
  question: PackageQuestion,
  { package: purl, versions }: Listed<V>,
): HeldVersion<V>[] =>
  versions.flatMap((version): HeldVersion<V>[] => {
    const answer = purl === null ? { unknown: UNNAMED } : answerOfListed(question, version);
    if (answer === 'no') return [];
    return [{ ...version, package: purl, unknown: answer === 'yes' ? null : answer.unknown }];
  });
