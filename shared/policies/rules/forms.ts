import type { Expression } from './expression/ast.ts';
import type { AttestationRule, BooleanRule, PolicyContent, ProvenanceRule } from './policy.ts';

/** An expression as answers show it (`rules/policies.md#decision`). */
interface ExpressionOut {
  text: string;
}

interface BooleanRuleDump {
  required: boolean;
  exceptions: { if_condition: ExpressionOut | null }[];
}

/** Present only where the policy has the key, because other clients do not know it (`rules/policies.md#reported-by`). */
interface ReportedByOut {
  reported_by?: ExpressionOut;
}

interface AttestationRuleDump extends ReportedByOut {
  if_condition: ExpressionOut | null;
  name: string;
  type: string;
  must_be_compliant: boolean;
  for_control: string | null;
}

/** `policy_dump` of a snapshot's `applied_policies` (`rules/policies.md#policy-dump`). */
export interface PolicyDump {
  schema_version: '1';
  artifacts: {
    provenance: BooleanRuleDump & ReportedByOut;
    trail_compliance: BooleanRuleDump;
    attestations: AttestationRuleDump[];
  };
}

/** Makes the dump of a policy for a snapshot. */
export function policyDump({ provenance, trailCompliance, attestations }: PolicyContent): PolicyDump {
  return {
    schema_version: '1',
    artifacts: {
      provenance: { ...booleanRuleDump(provenance), ...reportedByOut(provenance) },
      trail_compliance: booleanRuleDump(trailCompliance),
      attestations: attestations.map(({ if: condition, name, type, must_be_compliant, for_control, reported_by }) => ({
        if_condition: expressionOut(condition),
        name,
        type,
        must_be_compliant,
        for_control,
        ...reportedByOut({ reported_by }),
      })),
    },
  };
}

const booleanRuleDump = ({ required, exceptions }: BooleanRule): BooleanRuleDump => ({
  required,
  exceptions: exceptions.map((exception) => ({ if_condition: expressionOut(exception.if) })),
});

interface BooleanRuleDefinition extends ReportedByOut {
  required: boolean;
  exceptions: { if: ExpressionOut | null }[];
}

interface AttestationRuleDefinition extends ReportedByOut {
  if: ExpressionOut | null;
  name: string;
  type: string;
  must_be_compliant: boolean;
  for_control: string | null;
}

/** `rule` of a rule evaluation (`rules/policies.md#decision`). Unlike the dump, it has the keys of the policy file. */
export type RuleDefinition =
  | { type: 'provenance' | 'trail-compliance'; definition: BooleanRuleDefinition }
  | { type: 'attestation'; definition: AttestationRuleDefinition };

const booleanDefinition =
  (type: 'provenance' | 'trail-compliance') =>
  ({ required, exceptions }: BooleanRule) => ({
    type,
    definition: { required, exceptions: exceptions.map((exception) => ({ if: expressionOut(exception.if) })) },
  });

/** Definitions of rules. A rule always gives the same object, because one policy evaluates many artifacts. */
export const provenanceDefinition = oncePerRule((rule: ProvenanceRule): RuleDefinition => {
  const { type, definition } = booleanDefinition('provenance')(rule);
  return { type, definition: { ...definition, ...reportedByOut(rule) } };
});
export const trailComplianceDefinition = oncePerRule(booleanDefinition('trail-compliance'));
export const attestationDefinition = oncePerRule(
  ({ if: condition, name, type, must_be_compliant, for_control, reported_by }: AttestationRule): RuleDefinition => ({
    type: 'attestation',
    definition: {
      if: expressionOut(condition),
      name,
      type,
      must_be_compliant,
      for_control,
      ...reportedByOut({ reported_by }),
    },
  }),
);

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

const reportedByOut = ({ reported_by: expression }: { reported_by: Expression | null }): ReportedByOut =>
  expression ? { reported_by: { text: expression.text } } : {};

function expressionOut(expression: Expression | null): ExpressionOut | null {
  return expression && { text: expression.text };
}
