import * as z from 'zod';
import { type FieldErrors, noErrors, validate, withInput } from '#shared/base/validation.ts';
import { parseYaml, YamlTextError, type YamlValue } from '#shared/base/yaml-text.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { SLOT_TYPES } from '#shared/evidence/rules/template.ts';
import type { Expression } from './expression/ast.ts';
import { parseExpression } from './expression/parse.ts';
import { ExpressionError } from './expression/tokens.ts';

/** A rule that is switched on as a whole; an exception without expression waives nothing. */
export interface BooleanRule {
  required: boolean;
  exceptions: { if: Expression | null }[];
}

export interface AttestationRule {
  if: Expression | null;
  /** `*` is any name. */
  name: string;
  /** One of {@link SLOT_TYPES} or `custom:<name>`; `*` is any type. */
  type: string;
  must_be_compliant: boolean;
  /** Identifier of a control, only with type `decision`. */
  for_control: string | null;
}

/** A policy of version 1 of the format with its defaults filled in (wire environments §6.2). Lists keep their order. */
export interface PolicyContent {
  provenance: BooleanRule;
  trailCompliance: BooleanRule;
  attestations: AttestationRule[];
}

/** An absolute address of any host whose path ends in `/v1`: only that says which version of the format it is. */
export const SCHEMA_PATTERN = String.raw`^[A-Za-z][A-Za-z0-9+.\-]*://[^\s/?#][^\s?#]*/v1([?#]\S*)?$`;

/** Custom types need not exist: a rule for one that does not finds nothing (wire environments §13, 31). */
export const CUSTOM_TYPE_PATTERN = '^custom:.*$';

/** The most attestation rules of a policy (docs/decisions/0020). */
export const MAX_ATTESTATION_RULES = 200;
/** The most exceptions of one rule. */
export const MAX_EXCEPTIONS = 100;

/** What a policy file is called in `errors` when it is wrong as a whole (wire environments §6.1, P1). */
const WHOLE = 'policy_file';

export type PolicyReading =
  | { outcome: 'policy'; content: PolicyContent }
  /** 400. Keys are places in the file, such as `artifacts.attestations[0].if`, or `policy_file` for all of it. */
  | { outcome: 'refused'; errors: FieldErrors };

/**
 * Reads the text of a policy file (format: semantics §6.1, wire environments §6.2). Every problem is told of, except
 * that a text which is not YAML has one only. Whether the controls that it names exist is for the caller to ask.
 */
export function readPolicy(text: string): PolicyReading {
  const errors = noErrors();
  const document = yamlOf(text, errors);
  if (document === undefined) return { outcome: 'refused', errors };
  const read = validate(PolicyFile, plain(document), { whole: WHOLE }, errors);
  if (!read) return { outcome: 'refused', errors };
  const { provenance, 'trail-compliance': trailCompliance, attestations } = read.artifacts;
  return { outcome: 'policy', content: { provenance, trailCompliance, attestations } };
}

/**
 * Reads the text of a version that is kept.
 * @throws Error where it is no policy: a fault of ours, since it was read before it was stored
 */
export function readStoredPolicy(text: string): PolicyContent {
  const reading = readPolicy(text);
  if (reading.outcome === 'policy') return reading.content;
  throw new Error(`a stored policy cannot be read: ${JSON.stringify(reading.errors)}`);
}

/** @returns undefined when the text is not YAML, which is then noted */
function yamlOf(text: string, errors: FieldErrors): YamlValue | undefined {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error;
    errors[WHOLE] = error.message;
    return undefined;
  }
}

/** Mappings as objects without a prototype, so that `__proto__` is an unknown key like any other. */
function plain(value: YamlValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, item] of value) object[key] = plain(item);
  return object;
}

/** A string, or the form in which an expression is read back; further keys of that form are no concern of ours. */
const Condition = z
  .union([z.string(), z.looseObject({ text: z.string() })])
  .transform((given, { addIssue }): Expression => {
    const [source, path] = typeof given === 'string' ? [given, []] : [given.text, ['text']];
    try {
      return parseExpression(source);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      addIssue({ code: 'custom', message: withInput(error.message, source), path, input: given });
      return z.NEVER;
    }
  })
  .nullable()
  .default(null);

const BooleanRuleIn = z.strictObject({
  required: z.boolean().default(false),
  exceptions: z
    .array(z.strictObject({ if: Condition }))
    .max(MAX_EXCEPTIONS)
    .default(() => []),
});

const types = SLOT_TYPES.map((type) => `'${type}'`).join(', ');

const AttestationType = z
  .string()
  .refine(
    (type) => (SLOT_TYPES as readonly string[]).includes(type) || new RegExp(CUSTOM_TYPE_PATTERN, 'u').test(type),
    {
      error: ({ input }) => withInput(`Input should be ${types} or 'custom:<name>'`, input),
    },
  );

const AttestationRuleIn = z
  .strictObject({
    if: Condition,
    name: z.string().default('*'),
    type: AttestationType,
    must_be_compliant: z.boolean().default(true),
    for_control: ControlIdentifier.nullable().default(null),
  })
  .superRefine(({ name, type, for_control: control }, { addIssue }) => {
    if (name === '*' && type === '*') {
      addIssue({ code: 'custom', path: ['name'], message: withInput("Name and type must not both be '*'", name) });
    }
    if (control !== null && type !== 'decision') {
      const message = withInput("for_control is only allowed with type 'decision'", control);
      addIssue({ code: 'custom', path: ['for_control'], message });
    }
  });

const noRule = () => ({ required: false, exceptions: [] });

const Artifacts = z.strictObject({
  provenance: BooleanRuleIn.default(noRule),
  'trail-compliance': BooleanRuleIn.default(noRule),
  attestations: z
    .array(AttestationRuleIn)
    .max(MAX_ATTESTATION_RULES)
    .default(() => []),
});

const PolicyFile = z.strictObject({
  _schema: z.string().regex(new RegExp(SCHEMA_PATTERN, 'u'), {
    error: ({ input }) => withInput('Input should be an absolute URL whose path ends in /v1', input),
  }),
  artifacts: Artifacts.default(() => ({ provenance: noRule(), 'trail-compliance': noRule(), attestations: [] })),
});
