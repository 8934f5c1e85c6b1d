import * as z from 'zod';

const ExpressionOut = z.object({ text: z.string() });

const AttestationRule = z.object({
  if: ExpressionOut.nullable(),
  name: z.string(),
  type: z.string(),
  must_be_compliant: z.boolean(),
  for_control: z.string().nullable(),
  reported_by: ExpressionOut.optional(),
});
const BooleanRule = z.object({
  required: z.boolean(),
  exceptions: z.array(z.object({ if: ExpressionOut.nullable() })),
  reported_by: ExpressionOut.optional(),
});

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
    artifact_status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']).nullable(),
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
        satisfied: z.boolean().nullable(),
        ignored: z.boolean(),
        resolutions: z.array(Resolution),
      }),
    ),
  })
  .meta({ id: 'PolicyDecision' });

const BooleanRuleDump = z.object({
  required: z.boolean(),
  exceptions: z.array(z.object({ if_condition: ExpressionOut.nullable() })),
});

/** The rules of a policy in the version that was applied (`rules/policies.md#policy-dump`). */
export const PolicyDumpOut = z
  .object({
    schema_version: z.literal('1'),
    artifacts: z.object({
      provenance: BooleanRuleDump.extend({ reported_by: ExpressionOut.optional() }),
      trail_compliance: BooleanRuleDump,
      attestations: z.array(
        z.object({
          if_condition: ExpressionOut.nullable(),
          name: z.string(),
          type: z.string(),
          must_be_compliant: z.boolean(),
          for_control: z.string().nullable(),
          reported_by: ExpressionOut.optional(),
        }),
      ),
    }),
  })
  .meta({ id: 'PolicyDump' });
