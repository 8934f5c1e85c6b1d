import { DURATION_PATTERN } from '#shared/base/texts/durations.ts';
import { SLOT_TYPES } from '#shared/evidence/rules/template.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import { LONGEST_SIGNER, SIGNER_PATTERN } from '#shared/signers/rules/records.ts';
import { MAX_DENIALS } from './component-rules.ts';
import { MAX_EXPRESSION_LENGTH } from './expression/parse.ts';
import { MAX_EXCEPTIONS, MAX_SIGNERS } from './fields.ts';
import { CUSTOM_TYPE_PATTERN, MAX_ATTESTATION_RULES, SCHEMA_PATTERN } from './policy.ts';

/** An object that allows no other properties (`rules/policies.md#schema-endpoint`). */
const closed = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const orNull = (schema: Record<string, unknown>) => ({ anyOf: [schema, { type: 'null' }], default: null });

const expressionText = { type: 'string', maxLength: MAX_EXPRESSION_LENGTH };

const REPORTED_BY = {
  description: 'Only what a reporter brought for which this is true counts. The expression reads identity.<field>.',
  $ref: '#/$defs/condition',
  default: null,
};

const SIGNED_BY = {
  description: 'Only what one of these signers signed counts.',
  $ref: '#/$defs/signers',
  default: null,
};
const GRADE = { description: 'Only evidence of this grade or a higher one counts.', ...orNull({ enum: GRADES }) };

const SIGNER = { type: 'string', pattern: SIGNER_PATTERN.source, maxLength: LONGEST_SIGNER };

/**
 * The JSON Schema of policy files (`rules/policies.md#schema-endpoint`). It accepts the same documents as `readPolicy`,
 * except that a schema cannot check whether an expression parses, whether a control exists, and how long a duration is.
 */
export const POLICY_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Environment policy, version 1',
  ...closed(
    {
      _schema: {
        description: 'Address of this schema. The path has to end in /v1; host and the rest of the path are free.',
        type: 'string',
        pattern: SCHEMA_PATTERN,
      },
      max_silence: {
        description: 'An environment that did not report for longer is unknown. An ISO 8601 duration such as PT20M.',
        ...orNull({ type: 'string', pattern: DURATION_PATTERN }),
      },
      artifacts: { $ref: '#/$defs/artifacts', default: {} },
    },
    ['_schema'],
  ),
  $defs: {
    artifacts: closed({
      provenance: {
        description: 'The artifact has to be known in a flow.',
        $ref: '#/$defs/provenanceRule',
        default: { required: false, exceptions: [] },
      },
      'trail-compliance': {
        description: 'The artifact has to be compliant in its trail.',
        $ref: '#/$defs/booleanRule',
        default: { required: false, exceptions: [] },
      },
      attestations: {
        description: 'Attestations that the artifact or its trail has to have.',
        type: 'array',
        items: { $ref: '#/$defs/attestationRule' },
        maxItems: MAX_ATTESTATION_RULES,
        default: [],
      },
      sbom: {
        description: 'The artifact has to have an SBOM that can be read.',
        anyOf: [{ $ref: '#/$defs/sbomRule' }, { type: 'null' }],
        default: null,
      },
      components: { $ref: '#/$defs/components', default: { deny: [] } },
    }),
    booleanRule: closed({
      required: { type: 'boolean', default: false },
      exceptions: {
        description: 'The rule is waived where one of these is true.',
        type: 'array',
        items: closed({ if: { $ref: '#/$defs/condition', default: null } }),
        maxItems: MAX_EXCEPTIONS,
        default: [],
      },
    }),
    provenanceRule: closed({
      required: { type: 'boolean', default: false },
      exceptions: { $ref: '#/$defs/booleanRule/properties/exceptions' },
      reported_by: REPORTED_BY,
    }),
    sbomRule: closed({
      required: { type: 'boolean', default: false },
      exceptions: { $ref: '#/$defs/booleanRule/properties/exceptions' },
      signed_by: SIGNED_BY,
      grade: GRADE,
    }),
    components: closed({
      deny: {
        description: 'Components that no SBOM of the artifact may list.',
        type: 'array',
        items: { $ref: '#/$defs/denial' },
        maxItems: MAX_DENIALS,
        default: [],
      },
    }),
    denial: closed(
      {
        if: {
          description: 'The component is denied where this is true, and everywhere without it.',
          $ref: '#/$defs/condition',
          default: null,
        },
        purl: { description: 'Package URL of the component, such as pkg:npm/lodash.', type: 'string' },
        versions: {
          description: 'Range of versions, such as vers:npm/<4.17.21. Without it, the package URL has a version.',
          ...orNull({ type: 'string' }),
        },
      },
      ['purl'],
    ),
    signers: {
      anyOf: [SIGNER, { type: 'array', items: SIGNER, minItems: 1, maxItems: MAX_SIGNERS }, { type: 'null' }],
    },
    attestationRule: {
      ...closed(
        {
          if: {
            description: 'The rule applies where this is true, and everywhere without it.',
            $ref: '#/$defs/condition',
            default: null,
          },
          name: { description: '* is any name.', type: 'string', default: '*' },
          type: {
            description: '* is any type.',
            anyOf: [{ enum: SLOT_TYPES }, { type: 'string', pattern: CUSTOM_TYPE_PATTERN }],
          },
          must_be_compliant: {
            description: 'Without it the presence of the attestation is enough.',
            type: 'boolean',
            default: true,
          },
          for_control: {
            description: 'Identifier of the control that the decision has to be for.',
            ...orNull({ type: 'string', pattern: String.raw`^[a-zA-Z0-9\-._~]+$`, maxLength: 256 }),
          },
          reported_by: REPORTED_BY,
          max_age: {
            description: 'An attestation that is older counts as missing. An ISO 8601 duration such as P90D or PT36H.',
            ...orNull({ type: 'string', pattern: DURATION_PATTERN }),
          },
          signed_by: SIGNED_BY,
          grade: GRADE,
        },
        ['type'],
      ),
      allOf: [
        {
          description: 'Name and type are not both *.',
          not: { properties: { name: { const: '*' }, type: { const: '*' } } },
        },
        {
          description: 'A control is named by rules for decisions only.',
          anyOf: [{ properties: { for_control: { type: 'null' } } }, { properties: { type: { const: 'decision' } } }],
        },
        {
          description: 'A rule with a control does not say who reports or signs.',
          anyOf: [
            { properties: { for_control: { type: 'null' } } },
            { properties: { reported_by: { type: 'null' }, signed_by: { type: 'null' }, grade: { type: 'null' } } },
          ],
        },
      ],
    },
    condition: {
      description: 'An expression, with or without its wrapper of a dollar sign and two pairs of braces.',
      anyOf: [
        expressionText,
        { type: 'object', properties: { text: expressionText }, required: ['text'] },
        { type: 'null' },
      ],
    },
  },
} as const;
