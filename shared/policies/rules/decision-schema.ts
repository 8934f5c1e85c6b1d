import * as z from 'zod';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import { WHY_SBOM } from './sbom-marks.ts';

/** An expression as answers show it. */
const ExpressionOut = z.object({ text: z.string().describe('Text of the expression') });
/** Present only where the policy has the key, because other clients do not know it (`rules/policies.md#reported-by`). */
const reportedBy = {
  reported_by: ExpressionOut.optional().describe('Condition about who reported; absent if the policy has none'),
};

const attestationFields = {
  name: z.string().describe('Required name of the attestation; `*` means any name'),
  type: z.string().describe('Required type of the attestation; `*` means any type'),
  must_be_compliant: z.boolean().describe('Whether the attestation must be compliant'),
  for_control: z.string().nullable().describe('Identifier of the control that the attestation must decide'),
  ...reportedBy,
  max_age: z
    .string()
    .optional()
    .describe('ISO 8601 duration after which an attestation counts as missing; absent if the policy has none'),
  signed_by: z
    .array(z.string())
    .optional()
    .describe('Names of signers of which one has to have signed; absent if the policy has none'),
  grade: z.enum(GRADES).optional().describe('The least grade that counts; absent if the policy has none'),
};
const AttestationRule = z.object({
  if: ExpressionOut.nullable().describe('The condition; null if there is none'),
  ...attestationFields,
});
const BooleanRule = z.object({
  required: z.boolean().describe('Whether the policy requires it'),
  exceptions: z
    .array(z.object({ if: ExpressionOut.nullable().describe('The condition; null if there is none') }))
    .describe('Conditions under which it is not required'),
  ...reportedBy,
});

const signatureFields = {
  signed_by: attestationFields.signed_by,
  grade: attestationFields.grade,
};
const SbomRule = z.object({
  required: BooleanRule.shape.required,
  exceptions: BooleanRule.shape.exceptions,
  ...signatureFields,
});
const denialFields = {
  purl: z.string().describe('Package URL of the component that is denied'),
  versions: z.string().nullable().describe('Range of the versions that are denied; null if the package URL has one'),
};
const Denial = z.object({
  if: ExpressionOut.nullable().describe('The condition; null if there is none'),
  ...denialFields,
});

/** Unlike the dump, a decision has the keys of the policy file. */
const Rule = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['provenance', 'trail-compliance']).describe('Type of the rule'),
    definition: BooleanRule.describe('What the rule requires'),
  }),
  z.object({
    type: z.literal('attestation').describe('Type of the rule'),
    definition: AttestationRule.describe('What the rule requires'),
  }),
  z.object({
    type: z.literal('sbom').describe('Type of the rule'),
    definition: SbomRule.describe('What the rule requires'),
  }),
  z.object({
    type: z.literal('denied-component').describe('Type of the rule'),
    definition: Denial.describe('What the rule denies'),
  }),
]);

const FoundInSbom = z.object({
  why: z.enum(WHY_SBOM).describe('Why the rule is not satisfied'),
  sbom: z.string().nullable().describe('Name of the attestation with the SBOM; null if there is none'),
  version: z.string().nullable().describe('Version of the component that it lists; null if there is none'),
  more: z.int().describe('Number of further versions of which the same is true'),
});

const Resolution = z.object({
  type: z
    .enum([
      'rule_satisfied',
      'rule_not_applicable',
      'missing_provenance',
      'non_compliant_in_trail',
      'missing_attestation',
      'non_compliant_attestation',
      'missing_sbom',
      'denied_component',
      'unknown_components',
    ])
    .describe('The finding'),
  context: z
    .object({
      flow_name: z.string().nullable().describe('Name of the flow'),
      trail_name: z.string().nullable().describe('Name of the trail'),
      /** Only filled for `trail-compliance`. */
      artifact_status: z
        .enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])
        .nullable()
        .describe('Verdict about the artifact in the trail; null if it is in none'),
      /** Present only if the rule names a control. */
      for_control: z.string().optional().describe('Identifier of the control that the attestation must decide'),
      /** Present only if the rule limits the age, and every match is older. */
      attested_at: z
        .number()
        .optional()
        .describe('When the newest match was reported, in seconds since the epoch; only if it is older than allowed'),
      age: z.int().optional().describe('How old that match was at the evaluation, in whole seconds'),
      /** Present only if the rule asks for a signature, and no match has one. */
      found_grade: z
        .enum(GRADES)
        .optional()
        .describe('Grade of the newest match; only if no match is signed as the rule asks'),
      found_signer: z.string().optional().describe('Who signed that match; absent if nobody did'),
      /** Present only if the rule is not satisfied. */
      recalled_by: z
        .array(z.string())
        .optional()
        .describe('Names of the recalls of evidence that the rule asks for; absent if none of it was recalled'),
      /** Present only in rules about SBOMs that are not satisfied. */
      found_in_sbom: FoundInSbom.optional().describe(
        'What the SBOMs of the artifact say; only if a rule about them fails',
      ),
    })
    .describe('Where the finding was made'),
});

/** The decision of one policy on one artifact, as snapshots and asserts show it (`rules/policies.md#decision`). */
export const PolicyDecisionOut = z
  .object({
    policy_name: z.string().describe('Name of the policy'),
    policy_version: z.int().describe('Version of the policy'),
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT']).describe('The verdict'),
    rule_evaluations: z
      .array(
        z.object({
          rule: Rule.describe('The rule'),
          /** Null if the rule applies in no context. */
          satisfied: z.boolean().nullable().describe('Whether the rule is satisfied'),
          ignored: z.boolean().describe('Whether the rule does not apply to the artifact'),
          resolutions: z.array(Resolution).describe('How the rule came to its outcome'),
        }),
      )
      .describe('The outcome of each rule'),
  })
  .meta({ id: 'PolicyDecision' });
export type RuleDefinition = z.input<typeof Rule>;
export type PolicyDecision = z.input<typeof PolicyDecisionOut>;
export type RuleEvaluation = PolicyDecision['rule_evaluations'][number];
export type Resolution = RuleEvaluation['resolutions'][number];

const BooleanRuleDump = z.object({
  required: z.boolean().describe('Whether the policy requires it'),
  exceptions: z
    .array(z.object({ if_condition: ExpressionOut.nullable().describe('The condition; null if there is none') }))
    .describe('Conditions under which it is not required'),
});

/** The rules of a policy in the version that was applied (`rules/policies.md#policy-dump`). */
export const PolicyDumpOut = z
  .object({
    schema_version: z.literal('1').describe('Version of the format'),
    max_silence: z
      .string()
      .optional()
      .describe('ISO 8601 duration after which an environment without reports is unknown; absent if there is none'),
    artifacts: z
      .object({
        provenance: BooleanRuleDump.extend(reportedBy).describe('Whether a flow must have the artifact'),
        trail_compliance: BooleanRuleDump.describe('Whether the artifact must be compliant in its trail'),
        attestations: z
          .array(
            z.object({
              if_condition: ExpressionOut.nullable().describe('The condition; null if there is none'),
              ...attestationFields,
            }),
          )
          .describe('Attestations that the artifact must have'),
        /** Present only where the policy has the keys, because other clients do not know them. */
        sbom: BooleanRuleDump.extend(signatureFields)
          .optional()
          .describe('Whether the artifact must have an SBOM; absent if the policy does not say it'),
        components: z
          .object({
            deny: z
              .array(
                z.object({
                  if_condition: ExpressionOut.nullable().describe('The condition; null if there is none'),
                  ...denialFields,
                }),
              )
              .describe('Components that no SBOM of the artifact may list'),
          })
          .optional()
          .describe('Rules about components; absent if the policy has none'),
      })
      .describe('The artifacts'),
  })
  .meta({ id: 'PolicyDump' });
export type PolicyDump = z.input<typeof PolicyDumpOut>;
