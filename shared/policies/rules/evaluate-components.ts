import { askedPackages, heldVersions } from '#shared/components/rules/held-versions.ts';
import { type KnownComponents, NOTHING_KNOWN } from '#shared/components/rules/known-components.ts';
import type { PackageName } from '#shared/components/rules/package-name.ts';
import type { Denial, SbomRule } from './component-rules.ts';
import { applies, isWaived } from './conditions.ts';
import type { RuleDefinition } from './decision-schema.ts';
import type { ExpressionScope } from './expression/evaluate.ts';
import { denialDefinition, sbomDefinition } from './forms.ts';
import { MOST_RECALLS, type RuleOutcome } from './results.ts';
import type { FoundInSbom } from './sbom-marks.ts';
import { isSigned } from './signed.ts';

/** Outcomes of the rules about SBOMs (`rules/policies.md#sboms`). One answer counts in every context in which the rule applies. */

interface ComponentJudge {
  rules: RuleDefinition[];
  /** Returns the outcomes for one artifact, context by context. */
  judge: (known: KnownComponents | undefined) => (scope: ExpressionScope) => RuleOutcome[];
}

const DOES_NOT_APPLY: RuleOutcome = { type: 'rule_not_applicable' };
const SATISFIED: RuleOutcome = { type: 'rule_satisfied' };

/** Evaluates the rules about SBOMs of one policy for one artifact after another. */
export function componentJudge({
  sbom,
  denials,
}: {
  sbom: SbomRule | null;
  denials: readonly Denial[];
}): ComponentJudge {
  const asked = denials.map((denial) => ({ denial, packages: askedPackages(denial.question) }));
  return {
    rules: [...(sbom ? [sbomDefinition(sbom)] : []), ...denials.map(denialDefinition)],
    judge: (known = NOTHING_KNOWN) => {
      // Most artifacts have several contexts, and the versions of a denial are compared once.
      const ofSbom = sbom && once(() => sbomOutcome(sbom, known));
      const ofDenials = asked.map((one) => ({ denial: one.denial, outcome: once(() => denialOutcome(one, known)) }));
      return (scope) => [
        ...(sbom && ofSbom ? [isWaived(sbom, scope) ? DOES_NOT_APPLY : ofSbom()] : []),
        ...ofDenials.map(({ denial, outcome }) => (applies(denial, scope) ? outcome() : DOES_NOT_APPLY)),
      ];
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const because = (why: FoundInSbom['why'], sbom: string | null): FoundInSbom => ({ why, sbom, version: null, more: 0 });

/** Why nobody knows all components of an artifact. */
const unknownOf = ({ kind, sbom, recalls }: NonNullable<KnownComponents['unknown']>): Omit<RuleOutcome, 'type'> => ({
  sbom: because(kind, sbom),
  ...(recalls.length > 0 && { recalled: recalls.slice(0, MOST_RECALLS) }),
});

function sbomOutcome(rule: SbomRule, { unknown, sboms }: KnownComponents): RuleOutcome {
  if (unknown) return { type: 'missing_sbom', ...unknownOf(unknown) };
  if (sboms.some((one) => isSigned(rule, one))) return SATISFIED;
  const found = sboms.at(-1);
  if (!found) return { type: 'missing_sbom', sbom: because('none', null) };
  const { name, grade, signer } = found;
  return {
    type: 'missing_sbom',
    sbom: because('unsigned', name),
    found: { grade, ...(signer !== undefined && { signer }) },
  };
}

/** A denied version counts before what is not known: it is there, whatever else is. */
function denialOutcome(
  { denial: { question }, packages }: { denial: Denial; packages: readonly PackageName[] },
  { unknown, sboms }: KnownComponents,
): RuleOutcome {
  const held = sboms.flatMap(({ name, versionsOf }) =>
    packages.flatMap((one) =>
      heldVersions(question, { package: one.package, versions: versionsOf(one) }).map((version) => ({
        ...version,
        name,
      })),
    ),
  );
  const denied = held.filter((one) => one.unknown === null);
  const [first] = denied;
  if (first) return { type: 'denied_component', sbom: foundIn('denied', first, denied.length) };
  if (unknown) return { type: 'unknown_components', ...unknownOf(unknown) };
  const [doubtful] = held;
  if (!doubtful) return SATISFIED;
  return { type: 'unknown_components', sbom: foundIn(doubtOf(doubtful), doubtful, held.length) };
}

const foundIn = (
  why: FoundInSbom['why'],
  { name, version }: { name: string; version: string | null },
  all: number,
): FoundInSbom => ({ why, sbom: name, version, more: all - 1 });

/** Why nobody can say whether a version is denied. */
function doubtOf({ package: text, version }: { package: string | null; version: string | null }): FoundInSbom['why'] {
  if (text === null) return 'unnamed';
  return version === null ? 'no_version' : 'not_comparable';
}
