import * as z from 'zod';
import { DAY, durationField, MINUTE } from '#shared/base/texts/durations.ts';
import type { Duration } from '#shared/base/time.ts';
import { acrossFields, type FieldErrors, noErrors, validate, withInput } from '#shared/base/validation.ts';
import { parseYaml, YamlTextError, type YamlValue } from '#shared/base/yaml-text.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { SLOT_TYPES } from '#shared/evidence/rules/template.ts';
import { GRADES, type Grade } from '#shared/evidence/rules/verification.ts';
import { ComponentsIn, type Denial, type SbomRule, SbomRuleIn } from './component-rules.ts';
import type { Expression } from './expression/ast.ts';
import { AttestedBy, type BooleanRule, BooleanRuleIn, Condition, noRule, ReportedBy, SignedBy } from './fields.ts';

/**
 * The most controls that one policy may name. A new version with as many controls, all different from those of the
 * previous version, still fits into one transaction with the request's claim and the items of the policy.
 */
export const MOST_CONTROLS = 45;

/** Provenance counts only where the artifact's latest report satisfies `reported_by` (`rules/policies.md#reported-by`). */
export interface ProvenanceRule extends BooleanRule {
  reported_by: Expression | null;
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
  /** Only attestations that satisfy it count (`rules/policies.md#reported-by`). */
  reported_by: Expression | null;
  /** An older attestation or decision counts as missing; null = age does not matter (`rules/policies.md#max-age`). */
  max_age: Duration | null;
  /** Names of signers of which one has to have signed; null = who signed does not matter (`rules/policies.md#signatures`). */
  signed_by: readonly string[] | null;
  /** The least grade that counts; null = every grade. */
  grade: Grade | null;
}

/** A policy in version 1 of the format, with its defaults filled in (`rules/policies.md#policy-file`). */
export interface PolicyContent {
  provenance: ProvenanceRule;
  trailCompliance: BooleanRule;
  attestations: AttestationRule[];
  /** Null if the policy does not have it. */
  sbom: SbomRule | null;
  denials: Denial[];
  /** An environment that did not report for longer is unknown; null = silence does not matter (`rules/policies.md#max-silence`). */
  maxSilence: Duration | null;
}

/** An absolute address whose path ends in `/v1`. Host and the rest of the path do not matter. */
export const SCHEMA_PATTERN = String.raw`^[A-Za-z][A-Za-z0-9+.\-]*://[^\s/?#][^\s?#]*/v1([?#]\S*)?$`;

/** A custom type need not exist. A rule for a type that does not exist finds no attestation. */
export const CUSTOM_TYPE_PATTERN = '^custom:.*$';

/** The most attestation rules of a policy (`rules/policies.md#limits`). */
export const MAX_ATTESTATION_RULES = 200;
/** The shortest and the longest `max_age` (`rules/policies.md#max-age`). */
const MAX_AGE = { least: MINUTE, most: 3650 * DAY };

/** The shortest and the longest `max_silence` (`rules/policies.md#max-silence`). */
const MAX_SILENCE = { least: 5 * MINUTE, most: 400 * DAY };

/** The key in `errors` for problems of the file as a whole (`rules/policies.md#file-errors`). */
const WHOLE = 'policy_file';

type PolicyReading =
  | { outcome: 'policy'; content: PolicyContent }
  /** 400. Keys are places in the file, such as `artifacts.attestations[0].if`, or `policy_file` for all of it. */
  | { outcome: 'refused'; errors: FieldErrors };

/**
 * Reads the text of a policy file (`rules/policies.md#policy-file`). The result has every problem of the file; a text
 * that is not YAML has only one. The caller checks whether the controls that the policy names exist.
 */
export function readPolicy(text: string): PolicyReading {
  const errors = noErrors();
  const document = yamlOf(text, errors);
  if (document === undefined) return { outcome: 'refused', errors };
  const read = validate(PolicyFile, plain(document), { whole: WHOLE }, errors);
  if (!read) return { outcome: 'refused', errors };
  const { provenance, 'trail-compliance': trailCompliance, attestations, sbom, components } = read.artifacts;
  const { deny: denials } = components;
  const content = { provenance, trailCompliance, attestations, sbom, denials, maxSilence: read.max_silence };
  return { outcome: 'policy', content };
}

/**
 * Reads the text of a stored version.
 * @throws Error if the text is no policy. That is our own fault, because the text was checked before it was stored.
 */
export function readStoredPolicy(text: string): PolicyContent {
  const reading = readPolicy(text);
  if (reading.outcome === 'policy') return reading.content;
  throw new Error(`A stored policy cannot be read: ${JSON.stringify(reading.errors)}`);
}

/** Parses YAML. @returns undefined if the text is not YAML; then the problem is added to `errors` */
function yamlOf(text: string, errors: FieldErrors): YamlValue | undefined {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error;
    errors[WHOLE] = error.message;
    return undefined;
  }
}

/** Turns mappings into objects without a prototype, so that `__proto__` is an ordinary unknown key. */
function plain(value: YamlValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, item] of value) object[key] = plain(item);
  return object;
}

const types = SLOT_TYPES.map((type) => `'${type}'`).join(', ');

const AttestationType = z
  .string()
  .refine(
    (type) => SLOT_TYPES.some((slotType) => slotType === type) || new RegExp(CUSTOM_TYPE_PATTERN, 'u').test(type),
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
    reported_by: AttestedBy,
    max_age: durationField(MAX_AGE.least, MAX_AGE.most).nullable().default(null),
    signed_by: SignedBy.default(null),
    grade: z.enum(GRADES).nullable().default(null),
  })
  .check(
    acrossFields(({ name = '*', type, for_control: control, ...more }, refuse) => {
      if (name === '*' && type === '*') refuse('name', withInput("Name and type must not both be '*'", name));
      for (const key of ['reported_by', 'signed_by', 'grade'] as const) {
        if (control == null || more[key] == null) continue;
        refuse(key, withInput(`${key} is not allowed with for_control`, control));
      }
      if (control == null || typeof type !== 'string' || type === 'decision') return;
      refuse('for_control', withInput("for_control is only allowed with type 'decision'", control));
    }),
  );

const ProvenanceRuleIn = BooleanRuleIn.extend({ reported_by: ReportedBy });

const noProvenance = () => ({ ...noRule(), reported_by: null });
const noDenials = () => ({ deny: [] });

const Artifacts = z.strictObject({
  provenance: ProvenanceRuleIn.default(noProvenance),
  'trail-compliance': BooleanRuleIn.default(noRule),
  attestations: z
    .array(AttestationRuleIn)
    .max(MAX_ATTESTATION_RULES)
    .default(() => []),
  sbom: SbomRuleIn.nullable().default(null),
  components: ComponentsIn.default(noDenials),
});

const PolicyFile = z.strictObject({
  _schema: z.string().regex(new RegExp(SCHEMA_PATTERN, 'u'), {
    error: ({ input }) => withInput('Input should be an absolute URL whose path ends in /v1', input),
  }),
  max_silence: durationField(MAX_SILENCE.least, MAX_SILENCE.most).nullable().default(null),
  artifacts: Artifacts.default(() => ({
    provenance: noProvenance(),
    'trail-compliance': noRule(),
    attestations: [],
    sbom: null,
    components: noDenials(),
  })),
});
