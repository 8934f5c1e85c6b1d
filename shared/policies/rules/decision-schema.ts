import * as z from 'zod';

/** An expression as answers show it. */
const ExpressionOut = z.object({ text: z.string() });
/** Present only where the policy has the key, because other clients do not know it (`rules/policies.md#reported-by`). */
const reportedBy = { reported_by: ExpressionOut.optional() };

const attestationFields = {
  name: z.string(),
  type: z.string(),
  must_be_compliant: z.boolean(),
  for_control: z.string().nullable(),
  ...reportedBy,
};
const AttestationRule = z.object({ if: ExpressionOut.nullable(), ...attestationFields });
const BooleanRule = z.object({
  required: z.boolean(),
  exceptions: z.array(z.object({ if: ExpressionOut.nullable() })),
  ...reportedBy,
});

/** Unlike the dump, a decision has the keys of the policy file. */
const Rule = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['provenance', 'trail-compliance']), definition: BooleanRule }),
  z.object({ type: z.literal('attestation'), definition: AttestationRule }),
]);

const Resolution = z.object({
  type: z.enum([
    'rule_satisfied',
    'rule_not_applicable',
    'missing_provenance',
    'non_compliant_in_trail',
    'missing_attestation',
    'non_compliant_attestation',
  ]),
  context: z.object({
    flow_name: z.string().nullable(),
    trail_name: z.string().nullable(),
    /** Only filled for `trail-compliance`. */
    artifact_status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']).nullable(),
    /** Present only if the rule names a control. */
    for_control: z.string().optional(),
  }),
});

/** The decision of one policy on one artifact, as snapshots and asserts show it (`rules/policies.md#decision`). */
export const PolicyDecisionOut = z
  .object({
    policy_name: z.string(),
    policy_version: z.int(),
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT']),
    rule_evaluations: z.array(
      z.object({
        rule: Rule,
        /** Null if the rule applies in no context. */
        satisfied: z.boolean().nullable(),
        ignored: z.boolean(),
        resolutions: z.array(Resolution),
      }),
    ),
  })
  .meta({ id: 'PolicyDecision' });
export type RuleDefinition = z.input<typeof Rule>;
export type PolicyDecision = z.input<typeof PolicyDecisionOut>;
export type RuleEvaluation = PolicyDecision['rule_evaluations'][number];
export type Resolution = RuleEvaluation['resolutions'][number];

const BooleanRuleDump = z.object({
  required: z.boolean(),
  exceptions: z.array(z.object({ if_condition: ExpressionOut.nullable() })),
});

/** The rules of a policy in the version that was applied (`rules/policies.md#policy-dump`). */
export const PolicyDumpOut = z
  .object({
    schema_version: z.literal('1'),
    artifacts: z.object({
      provenance: BooleanRuleDump.extend(reportedBy),
      trail_compliance: BooleanRuleDump,
      attestations: z.array(z.object({ if_condition: ExpressionOut.nullable(), ...attestationFields })),
    }),
  })
  .meta({ id: 'PolicyDump' });
export type PolicyDump = z.input<typeof PolicyDumpOut>;
