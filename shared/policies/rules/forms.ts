import { durationText } from '#shared/base/texts/durations.ts';
import type { Denial, SbomRule } from './component-rules.ts';
import type { PolicyDump, RuleDefinition } from './decision-schema.ts';
import type { Expression } from './expression/ast.ts';
import type { BooleanRule } from './fields.ts';
import type { AttestationRule, PolicyContent, ProvenanceRule } from './policy.ts';

/** Makes the dump of a policy for a snapshot. */
export function policyDump({
  provenance,
  trailCompliance,
  attestations,
  maxSilence,
  ...more
}: PolicyContent): PolicyDump {
  const { sbom, denials } = more;
  return {
    schema_version: '1',
    ...(maxSilence !== null && { max_silence: durationText(maxSilence) }),
    artifacts: {
      provenance: { ...booleanRuleDump(provenance), ...reportedByOut(provenance) },
      trail_compliance: booleanRuleDump(trailCompliance),
      attestations: attestations.map((rule) => ({ if_condition: expressionOut(rule.if), ...attestationFields(rule) })),
      ...(sbom && { sbom: { ...booleanRuleDump(sbom), ...signatureFields(sbom) } }),
      ...(denials.length > 0 && {
        components: { deny: denials.map((one) => ({ if_condition: expressionOut(one.if), ...denialFields(one) })) },
      }),
    },
  };
}

const booleanRuleDump = ({ required, exceptions }: BooleanRule) => ({
  required,
  exceptions: exceptions.map((exception) => ({ if_condition: expressionOut(exception.if) })),
});

const booleanFields = ({ required, exceptions }: BooleanRule) => ({
  required,
  exceptions: exceptions.map((exception) => ({ if: expressionOut(exception.if) })),
});

/** Definitions of rules. A rule always gives the same object, because one policy evaluates many artifacts. */
export const provenanceDefinition = oncePerRule(
  (rule: ProvenanceRule): RuleDefinition => ({
    type: 'provenance',
    definition: { ...booleanFields(rule), ...reportedByOut(rule) },
  }),
);
export const trailComplianceDefinition = oncePerRule(
  (rule: BooleanRule): RuleDefinition => ({ type: 'trail-compliance', definition: booleanFields(rule) }),
);
export const attestationDefinition = oncePerRule(
  (rule: AttestationRule): RuleDefinition => ({
    type: 'attestation',
    definition: { if: expressionOut(rule.if), ...attestationFields(rule) },
  }),
);

export const sbomDefinition = oncePerRule(
  (rule: SbomRule): RuleDefinition => ({
    type: 'sbom',
    definition: { ...booleanFields(rule), ...signatureFields(rule) },
  }),
);
export const denialDefinition = oncePerRule(
  (rule: Denial): RuleDefinition => ({
    type: 'denied-component',
    definition: { if: expressionOut(rule.if), ...denialFields(rule) },
  }),
);

const attestationFields = ({ name, type, must_be_compliant, for_control, reported_by, ...asked }: AttestationRule) => ({
  name,
  type,
  must_be_compliant,
  for_control,
  ...reportedByOut({ reported_by }),
  ...(asked.max_age !== null && { max_age: durationText(asked.max_age) }),
  ...signatureFields(asked),
});

const signatureFields = ({ signed_by: signers, grade }: Pick<AttestationRule, 'signed_by' | 'grade'>) => ({
  ...(signers !== null && { signed_by: [...signers] }),
  ...(grade !== null && { grade }),
});

const denialFields = ({ purl, versions }: Denial) => ({ purl, versions });

function oncePerRule<R extends object>(define: (rule: R) => RuleDefinition): (rule: R) => RuleDefinition {
  const definitions = new WeakMap<R, RuleDefinition>();
  return (rule) => {
    const known = definitions.get(rule);
    if (known) return known;
    const definition = define(rule);
    definitions.set(rule, definition);
    return definition;
  };
}

const reportedByOut = ({ reported_by: expression }: { reported_by: Expression | null }) =>
  expression ? { reported_by: { text: expression.text } } : {};

const expressionOut = (expression: Expression | null) => expression && { text: expression.text };
