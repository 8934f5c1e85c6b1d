import * as z from 'zod';
import { askedPackages } from '#shared/components/rules/held-versions.ts';
import type { PackageName } from '#shared/components/rules/package-name.ts';
import { packageUrlText } from '#shared/components/rules/package-url.ts';
import { type PackageQuestion, packageQuestion } from '#shared/components/rules/question.ts';
import { GRADES, type Grade } from '#shared/evidence/rules/verification.ts';
import type { Expression } from './expression/ast.ts';
import { type BooleanRule, BooleanRuleIn, Condition, SignedBy } from './fields.ts';

/** Rules about SBOMs and about what they list (rules/policies.md#sboms). */

/** The artifact has to have an SBOM that can be read. */
export interface SbomRule extends BooleanRule {
  /** Names of signers of which one has to have signed; null = who signed does not matter. */
  signed_by: readonly string[] | null;
  /** The least grade that counts; null = every grade. */
  grade: Grade | null;
}

/** No SBOM of the artifact may list these versions of a package. */
export interface Denial {
  if: Expression | null;
  /** The package URL in its canonical form. */
  purl: string;
  /** The range as the policy has it; null if the package URL has a version. */
  versions: string | null;
  question: PackageQuestion;
}

/** The most denials of a policy (`rules/policies.md#limits`). Each is looked up for the SBOMs of all that runs. */
export const MAX_DENIALS = 100;

export const SbomRuleIn = BooleanRuleIn.extend({
  signed_by: SignedBy.default(null),
  grade: z.enum(GRADES).nullable().default(null),
});

const DenialIn = z
  .strictObject({ if: Condition, purl: z.string(), versions: z.string().nullable().default(null) })
  .transform((given, { addIssue }): Denial => {
    const read = packageQuestion(given.purl, given.versions ?? undefined);
    if ('question' in read) return { ...given, purl: packageUrlText(read.question.purl), question: read.question };
    for (const [field, message] of Object.entries(read.errors)) {
      addIssue({ code: 'custom', message, path: [field], input: given });
    }
    return z.NEVER;
  });

export const ComponentsIn = z.strictObject({
  deny: z
    .array(DenialIn)
    .max(MAX_DENIALS)
    .default(() => []),
});

/**
 * Lists the packages whose versions have to be read of the SBOMs of artifacts before policies evaluate them.
 * @returns null if no policy asks for SBOMs
 */
export function packagesAsked(
  policies: readonly { sbom: SbomRule | null; denials: readonly Denial[] }[],
): PackageName[] | null {
  const denials = policies.flatMap((policy) => policy.denials);
  if (denials.length === 0 && !policies.some(({ sbom }) => sbom?.required)) return null;
  return denials.flatMap(({ question }) => askedPackages(question));
}
