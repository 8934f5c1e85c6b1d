import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSchemaText } from '#shared/engines/schema.ts';
import { SLOT_TYPES } from '#shared/evidence/rules/template.ts';
import { MAX_DENIALS } from '#shared/policies/rules/component-rules.ts';
import { MAX_EXPRESSION_LENGTH } from '#shared/policies/rules/expression/parse.ts';
import { MAX_EXCEPTIONS, MAX_SIGNERS } from '#shared/policies/rules/fields.ts';
import { MAX_ATTESTATION_RULES, readPolicy } from '#shared/policies/rules/policy.ts';
import { POLICY_SCHEMA } from '#shared/policies/rules/schema.ts';
import { refusals, SCHEMA_URL } from './policies.ts';

const validator = new Ajv2020({ allErrors: true }).compile(POLICY_SCHEMA);

/** Whether the schema and the parser accept a document. */
function opinions(document: unknown): { schema: boolean; parser: boolean } {
  const text = JSON.stringify(document);
  // Parsed from the text, so that both read the same document, `__proto__` included.
  return { schema: validator(JSON.parse(text)), parser: readPolicy(text).outcome === 'policy' };
}

const withRules = (...attestations: unknown[]) => ({ _schema: SCHEMA_URL, artifacts: { attestations } });
const withDenied = (...deny: unknown[]) => ({ _schema: SCHEMA_URL, artifacts: { components: { deny } } });
const withArtifacts = (artifacts: unknown) => ({ _schema: SCHEMA_URL, artifacts });

describe('the schema', () => {
  test('is one of the dialect 2020-12', () => {
    expect(checkSchemaText(JSON.stringify(POLICY_SCHEMA))).toBeNull();
  });

  test.each<[string, unknown]>([
    ['the least policy', { _schema: SCHEMA_URL }],
    ['empty artifacts', withArtifacts({})],
    ['rules without anything', withArtifacts({ provenance: {}, 'trail-compliance': {}, attestations: [] })],
    ['exceptions without a condition', withArtifacts({ provenance: { exceptions: [{}, { if: null }] } })],
    ['a condition as text', withArtifacts({ provenance: { exceptions: [{ if: 'true' }] } })],
    ['a condition as an object with more', withRules({ type: 'junit', if: { text: 'true', more: 1 } })],
    ['a longest expression', withRules({ type: 'junit', if: 'true'.padEnd(MAX_EXPRESSION_LENGTH) })],
    ['any type under a name', withRules({ type: '*', name: 'a' })],
    ['any name of a type', withRules({ type: 'junit', name: '*' })],
    ['a custom type', withRules({ type: 'custom:a b' })],
    ['a custom type without a name', withRules({ type: 'custom:' })],
    ['a control', withRules({ type: 'decision', for_control: 'a'.repeat(256) })],
    ['no control with another type', withRules({ type: 'junit', for_control: null })],
    ['who reports an attestation', withRules({ type: 'junit', reported_by: 'exists(identity)' })],
    ['who reports an artifact', withArtifacts({ provenance: { reported_by: { text: 'true' }, exceptions: [{}] } })],
    ['an age', withRules({ type: 'junit', max_age: 'P1DT12H' }, { type: 'snyk', max_age: null })],
    ['the age of a decision', withRules({ type: 'decision', for_control: 'C', max_age: 'PT36H' })],
    ['a signer', withRules({ type: 'junit', signed_by: 'release' }, { type: 'junit', signed_by: null })],
    ['several signers', withRules({ type: 'junit', signed_by: ['release', 'a.b-c_1'] })],
    ['a least grade', withRules({ type: 'junit', grade: 'logged' }, { type: 'junit', grade: null })],
    ['what a statement says', withRules({ type: 'junit', reported_by: 'statement.builder.id == "x"' })],
    ['an SBOM', withArtifacts({ sbom: { required: true, grade: 'signed', signed_by: ['a'], exceptions: [{}] } })],
    ['no rule about SBOMs', withArtifacts({ sbom: null, components: {} })],
    ['denied components', withDenied({ purl: 'pkg:npm/a@1.0.0' }, { purl: 'pkg:npm/a', versions: 'vers:npm/*' })],
    ['the most denied components', withDenied(...Array(MAX_DENIALS).fill({ purl: 'pkg:npm/a@1.0.0', if: 'true' }))],
    ['the most rules', withRules(...Array(MAX_ATTESTATION_RULES).fill({ type: 'junit' }))],
    ...SLOT_TYPES.map((type): [string, unknown] => [`the type ${type}`, withRules({ type, name: 'a' })]),
  ])('and the parser accept %s', (_, document) => {
    expect(opinions(document)).toEqual({ schema: true, parser: true });
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'policy'],
    ['a list', []],
    ['no schema', {}],
    ['another version', { _schema: SCHEMA_URL.replace('v1', 'v2') }],
    ['a schema that is no text', { _schema: 1 }],
    ['an unknown key', { _schema: SCHEMA_URL, policy: {} }],
    ['a key of the language', JSON.parse(`{"_schema": "${SCHEMA_URL}", "__proto__": {}}`)],
    ['artifacts of null', withArtifacts(null)],
    ['an unknown kind of rule', withArtifacts({ trail_compliance: {} })],
    ['an unknown key of a rule', withArtifacts({ provenance: { require: true } })],
    ['a rule of null', withArtifacts({ provenance: null })],
    ['a number for a truth value', withArtifacts({ provenance: { required: 1 } })],
    ['exceptions of null', withArtifacts({ provenance: { exceptions: null } })],
    ['a bare exception', withArtifacts({ provenance: { exceptions: ['true'] } })],
    ['an unknown key of an exception', withArtifacts({ provenance: { exceptions: [{ unless: 'true' }] } })],
    ['too many exceptions', withArtifacts({ provenance: { exceptions: Array(MAX_EXCEPTIONS + 1).fill({}) } })],
    ['a truth value for a condition', withRules({ type: 'junit', if: true })],
    ['an object without a text', withRules({ type: 'junit', if: {} })],
    ['an object with another text', withRules({ type: 'junit', if: { text: null } })],
    ['an expression that is too long', withRules({ type: 'junit', if: 'true'.padEnd(MAX_EXPRESSION_LENGTH + 1) })],
    ['attestations that are no list', withArtifacts({ attestations: {} })],
    ['an attestation of null', withRules(null)],
    ['no type', withRules({ name: 'a' })],
    ['a type of another spelling', withRules({ type: 'pull-request' })],
    ['a type in capitals', withRules({ type: 'JUnit' })],
    ['a type with a line end', withRules({ type: 'custom:a\nb' })],
    ['any name and any type', withRules({ type: '*', name: '*' })],
    ['any type and no name', withRules({ type: '*' })],
    ['a name of null', withRules({ type: 'junit', name: null })],
    ['a control with another type', withRules({ type: '*', name: 'a', for_control: 'C' })],
    ['a control without a type', withRules({ for_control: 'C' })],
    ['a control that cannot be', withRules({ type: 'decision', for_control: 'a b' })],
    ['a control of no characters', withRules({ type: 'decision', for_control: '' })],
    ['a control with a long name', withRules({ type: 'decision', for_control: 'a'.repeat(257) })],
    ['a reporter beside a control', withRules({ type: 'decision', for_control: 'C', reported_by: 'true' })],
    ['a signer beside a control', withRules({ type: 'decision', for_control: 'C', signed_by: 'release' })],
    ['a grade beside a control', withRules({ type: 'decision', for_control: 'C', grade: 'signed' })],
    ['no signers', withRules({ type: 'junit', signed_by: [] })],
    ['a name that no signer has', withRules({ type: 'junit', signed_by: ['release', 'a b'] })],
    ['a signer without a name', withRules({ type: 'junit', signed_by: '' })],
    ['a signer with a long name', withRules({ type: 'junit', signed_by: 'a'.repeat(65) })],
    ['a signer that is a number', withRules({ type: 'junit', signed_by: 7 })],
    ['too many signers', withRules({ type: 'junit', signed_by: Array(MAX_SIGNERS + 1).fill('release') })],
    ['an unknown grade', withRules({ type: 'junit', grade: 'trusted' })],
    ['who reports an SBOM', withArtifacts({ sbom: { reported_by: 'true' } })],
    ['a word in place of the rule', withArtifacts({ sbom: 'required' })],
    ['a component without a package URL', withDenied({ versions: 'vers:npm/*' })],
    ['a component of another form', withDenied('pkg:npm/a@1.0.0')],
    ['a range that is no text', withDenied({ purl: 'pkg:npm/a', versions: ['1.0.0'] })],
    ['an unknown key of a component', withDenied({ purl: 'pkg:npm/a@1.0.0', name: 'a' })],
    ['too many denied components', withDenied(...Array(MAX_DENIALS + 1).fill({ purl: 'pkg:npm/a@1.0.0' }))],
    ['an unknown key beside denied components', withArtifacts({ components: { allow: [] } })],
    ['a reporter of a trail', withArtifacts({ 'trail-compliance': { reported_by: 'true' } })],
    ...['', 'P', 'PT', 'P1DT', 'P1M', 'P1Y', '-P1D', 'P1.5D', 'PT1M1H', 90].map((age): [string, unknown] => [
      `the age ${JSON.stringify(age)}`,
      withRules({ type: 'junit', max_age: age }),
    ]),
    ['too many rules', withRules(...Array(MAX_ATTESTATION_RULES + 1).fill({ type: 'junit' }))],
  ])('and the parser refuse %s', (_, document) => {
    expect(opinions(document)).toEqual({ schema: false, parser: false });
  });
});

/** Usually valid, so that documents with many parts are valid often enough. */
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) });

const rarely = <T>(wrong: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: wrong });

/** A record in which every key may be missing and which sometimes has an unknown key. */
const object = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  mostly(
    fc
      .tuple(
        fc.record(fields, { requiredKeys }),
        rarely(fc.constantFrom('x', '__proto__', 'constructor', ...Object.keys(fields))),
      )
      // Defined as JSON.parse does. A plain assignment to `__proto__` would be lost.
      .map(([record, stranger]) =>
        stranger === null
          ? record
          : Object.defineProperty(record, stranger, { value: null, enumerable: true, configurable: true }),
      ),
  );

const conditions = mostly(
  fc.oneof(
    fc.constantFrom('true', `\${{ exists(flow) }}`, 'flow.tags.a == "b"', null),
    fc.record({ text: mostly(fc.constant('not true')) }),
  ),
);

const booleanRules = object({
  required: mostly(fc.boolean()),
  exceptions: mostly(fc.array(object({ if: conditions }), { maxLength: 3 })),
});

const attestationRules = object(
  {
    if: conditions,
    name: mostly(fc.constantFrom('*', 'a', '')),
    type: mostly(fc.constantFrom(...SLOT_TYPES, 'custom:x', 'decision', 'decision')),
    must_be_compliant: mostly(fc.boolean()),
    for_control: mostly(fc.constantFrom('C-1', null, null)),
    max_age: mostly(fc.constantFrom('P90D', 'P2W', 'PT1H1S', 'P1DT1M', 'P1M', null, null, null)),
    signed_by: mostly(fc.constantFrom('release', ['a', 'b'], null, null)),
    grade: mostly(fc.constantFrom('signed', 'observed', null, null)),
  },
  ['type'],
);

/** Other texts in the place of package URLs and ranges are wrong, which a schema cannot check. */
const denials = object(
  { if: conditions, purl: fc.constantFrom('pkg:npm/a@1.0.0', 'pkg:pypi/b@2', 7), versions: fc.constantFrom(null, 7) },
  ['purl'],
);

const documents = object(
  {
    _schema: mostly(fc.constantFrom(SCHEMA_URL, 'https://h/v1')),
    artifacts: object({
      provenance: booleanRules,
      'trail-compliance': booleanRules,
      attestations: mostly(fc.array(attestationRules, { maxLength: 3 })),
      sbom: mostly(fc.oneof(booleanRules, fc.constant({ grade: 'signed', signed_by: ['a'] }))),
      components: object({ deny: mostly(fc.array(denials, { maxLength: 2 })) }),
    }),
  },
  ['_schema'],
);

describe('schema and parser', () => {
  /** Random strings in the place of expressions do not parse, which a schema cannot check. */
  const failsInAnExpression = (errors: Record<string, string>): boolean =>
    Object.values(errors).some((text) => text.startsWith('line '));

  test('agree on every document whose expressions parse', { timeout: 30_000 }, () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(documents, (document) => {
        fc.pre(!failsInAnExpression(refusals(JSON.stringify(document))));
        const { schema, parser } = opinions(document);
        seen[parser ? 'accepted' : 'refused'] += 1;
        expect(schema).toBe(parser);
      }),
      { numRuns: 500 },
    );
    // Both accepted and refused documents are frequent; otherwise the property would check little.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(50);
  });
});
