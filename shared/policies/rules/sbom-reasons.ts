import type { Resolution, RuleEvaluation } from './decision-schema.ts';

/** Sentences about rules on SBOMs that are not satisfied (`rules/policies.md#reasons`). */

type Denied = Extract<RuleEvaluation['rule'], { type: 'denied-component' }>['definition'];

/** What a rule denies: `pkg:npm/lodash (vers:npm/<4.17.21)`. */
export const deniedText = ({ purl, versions }: Denied): string => (versions === null ? purl : `${purl} (${versions})`);

/**
 * Says what the SBOMs of the artifact say.
 * @param nameOf how the sentence calls an SBOM by the name of its attestation
 * @returns a sentence without a full stop, and the same in few words
 */
export function sbomWords(
  rule: RuleEvaluation['rule'],
  { found_in_sbom: found, recalled_by: recalls = [] }: Resolution['context'],
  nameOf: (sbom: string) => string = (sbom) => `SBOM '${sbom}'`,
): { says: string; saw: string } {
  const { why = 'none', sbom = null, version = null, more = 0 } = found ?? {};
  const called = sbom === null ? 'the SBOM' : nameOf(sbom);
  const what = rule.type === 'denied-component' ? packageIn(rule.definition) : 'a component';
  const others = more === 0 ? '' : ` and ${more} more ${more === 1 ? 'version' : 'versions'}`;
  switch (why) {
    case 'none':
      return { says: 'no SBOM of it was reported', saw: 'no SBOM' };
    case 'pending':
      return { says: `${called} is not read yet`, saw: 'not read yet' };
    case 'unreadable':
      return { says: `${called} cannot be read`, saw: 'cannot be read' };
    case 'recalled':
      return { says: `${called} was recalled by ${recalls.map((name) => `'${name}'`).join(' and ')}`, saw: 'recalled' };
    case 'erased':
      return { says: `${called} was erased`, saw: 'erased' };
    case 'unsigned':
      return { says: `${called} is not signed as asked`, saw: 'not signed as asked' };
    case 'denied':
      return { says: `${called} lists ${versioned(what, version)}${others}`, saw: versioned(what, version) };
    case 'no_version':
      return { says: `${called} lists ${what} without a version`, saw: 'no version' };
    case 'not_comparable':
      return { says: `${called} lists ${versioned(what, version)}, which cannot be compared`, saw: 'not comparable' };
    case 'unnamed':
      return { says: `${called} lists a component of this name without a package URL`, saw: 'no package URL' };
  }
}

const versioned = (what: string, version: string | null): string => (version === null ? what : `${what} ${version}`);

/** The package URL of a rule without version and qualifiers. In its canonical form, `@` begins the version. */
const packageIn = ({ purl }: Denied): string => purl.split(/[@?#]/)[0] ?? purl;
