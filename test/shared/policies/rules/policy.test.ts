import { describe, expect, test } from 'vitest';
import { MAX_EXCEPTIONS } from '#shared/policies/rules/fields.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import { MAX_ATTESTATION_RULES, readPolicy, readStoredPolicy } from '#shared/policies/rules/policy.ts';
import { aPolicy, refusals, SCHEMA_URL } from './policies.ts';

/** A file with the schema and these artifacts. */
const file = (artifacts: unknown): string => JSON.stringify({ _schema: SCHEMA_URL, artifacts });
const rules = (...attestations: unknown[]): string => file({ attestations });

const EXAMPLE = `
_schema: https://docs.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
    exceptions:
      - if: \${{ matches(artifact.name, "^cache:.*") }}   # third party
  trail-compliance:
    required: true
    exceptions:
      - if: flow.tags.kind != "build"
      - if: {text: 'not exists(flow)', note: kept by a tool}
  attestations:
    - type: pull_request
    - name: sbom
      type: custom:sbom
      if: \${{ exists(flow.tags.risk-level) and flow.tags.risk-level > 5 }}
      must_be_compliant: false
    - {name: approved, type: decision, for_control: SDLC-1.2~a_b}
    - {name: anything, type: "*"}
`;

describe('a policy file', () => {
  test('is read with its defaults filled in, and its dump has the keys of answers', () => {
    expect(policyDump(readStoredPolicy(EXAMPLE))).toEqual({
      schema_version: '1',
      artifacts: {
        provenance: { required: true, exceptions: [{ if_condition: { text: 'matches(artifact.name, "^cache:.*")' } }] },
        trail_compliance: {
          required: true,
          exceptions: [
            { if_condition: { text: 'flow.tags.kind != "build"' } },
            { if_condition: { text: 'not exists(flow)' } },
          ],
        },
        attestations: [
          { if_condition: null, name: '*', type: 'pull_request', must_be_compliant: true, for_control: null },
          {
            if_condition: { text: 'exists(flow.tags.risk-level) and flow.tags.risk-level > 5' },
            name: 'sbom',
            type: 'custom:sbom',
            must_be_compliant: false,
            for_control: null,
          },
          {
            if_condition: null,
            name: 'approved',
            type: 'decision',
            must_be_compliant: true,
            for_control: 'SDLC-1.2~a_b',
          },
          { if_condition: null, name: 'anything', type: '*', must_be_compliant: true, for_control: null },
        ],
      },
    });
  });

  const DEFAULTS = {
    schema_version: '1',
    artifacts: {
      provenance: { required: false, exceptions: [] },
      trail_compliance: { required: false, exceptions: [] },
      attestations: [],
    },
  };

  test.each([
    ['no artifacts', JSON.stringify({ _schema: SCHEMA_URL })],
    ['empty artifacts', file({})],
    ['empty rules', file({ provenance: {}, 'trail-compliance': {}, attestations: [] })],
    ['empty exceptions', file({ provenance: { required: false, exceptions: [] } })],
  ])('a policy file with %s has no rules', (_, text) => {
    expect(policyDump(readStoredPolicy(text))).toEqual(DEFAULTS);
  });

  test.each([null, undefined])('treats a condition of %j as absent', (condition) => {
    const content = aPolicy({
      provenance: { exceptions: [{ if: condition }] },
      attestations: [{ type: 'junit', if: condition }],
    });
    expect(content.provenance.exceptions).toEqual([{ if: null }]);
    expect(content.attestations[0]?.if).toBeNull();
  });

  test.each([
    'https://evidence.example/api/v2/schemas/environment-policy/v1',
    'https://docs.example/schemas/policy/environment/v1',
    'http://localhost:8080/a/v1',
    'https://h/v1#',
  ])('may name its schema as %s', (_schema) => {
    expect(refusals(JSON.stringify({ _schema }))).toEqual({});
  });

  test('has lists of its own after each reading', () => {
    const first = aPolicy();
    first.attestations.push(...aPolicy({ attestations: [{ type: 'junit' }] }).attestations);
    first.provenance.exceptions.push({ if: null });
    expect(policyDump(aPolicy())).toEqual(DEFAULTS);
  });
});

describe('a refusal names each place and its problem', () => {
  const types =
    "'generic', 'junit', 'snyk', 'pull_request', 'jira', 'sonar', 'decision', 'provenance', 'vsa', 'sbom', 'vulns', 'test-result', 'vex', 'sarif', 'release', 'statement', '*' or 'custom:<name>'";

  test.each<[string, string, Record<string, string>]>([
    ['no text', '', { policy_file: 'Input should be a valid dictionary [input: None]' }],
    ['a list', '[]', { policy_file: 'Input should be a valid dictionary [input: []]' }],
    ['an alias', 'a: &x 1', { policy_file: 'line 1, column 4: anchors are not allowed' }],
    ['a repeated key', `_schema: a\n_schema: b`, { policy_file: "line 2, column 1: the key '_schema' is repeated" }],
    ['no schema', '{}', { _schema: 'Field required [input: None]' }],
    ['no artifacts after their key', file(null), { artifacts: 'Input should be a valid dictionary [input: None]' }],
    ['an unknown key', file({ x: 1 }), { 'artifacts.x': 'Extra inputs are not permitted [input: 1]' }],
    [
      'a key of the language',
      `_schema: ${SCHEMA_URL}\n__proto__: 1`,
      { ['__proto__']: 'Extra inputs are not permitted [input: 1]' },
    ],
    [
      'the spelling of dumps',
      file({ trail_compliance: {} }),
      { 'artifacts.trail_compliance': 'Extra inputs are not permitted [input: {}]' },
    ],
    [
      'a word for a truth value',
      file({ provenance: { required: 'yes' } }),
      { 'artifacts.provenance.required': 'Input should be a valid boolean, unable to interpret input [input: yes]' },
    ],
    [
      'a single exception without its list',
      file({ provenance: { exceptions: { if: 'true' } } }),
      { 'artifacts.provenance.exceptions': 'Input should be a valid list [input: {"if":"true"}]' },
    ],
    [
      'a truth value for an expression',
      file({ provenance: { exceptions: [{ if: true }] } }),
      { 'artifacts.provenance.exceptions[0].if': 'Input should be a valid string [input: True]' },
    ],
    [
      'an expression that does not parse',
      file({
        'trail-compliance': {
          exceptions: [{ if: 'true' }, { if: `\${{ flow.name ==  }}` }],
        },
      }),
      {
        'artifacts.trail-compliance.exceptions[1].if': `line 1, column 19: expected a value, a call or '(', found the end [input: \${{ flow.name ==  }}]`,
      },
    ],
    [
      'an object whose expression does not parse',
      rules({ type: 'junit', if: { text: 'matches(flow.name, "(")' } }),
      {
        'artifacts.attestations[0].if.text':
          'line 1, column 20: expected a regular expression: error parsing regexp: missing closing ): `(` [input: matches(flow.name, "(")]',
      },
    ],
    [
      'an attestation of no type',
      rules({ name: 'a' }),
      { 'artifacts.attestations[0].type': 'Field required [input: None]' },
    ],
    [
      'the type of an example in the prose',
      rules({ type: 'junit' }, { type: 'pull-request' }),
      { 'artifacts.attestations[1].type': `Input should be ${types} [input: pull-request]` },
    ],
    [
      'any name and any type',
      rules({ type: '*' }),
      { 'artifacts.attestations[0].name': "Name and type must not both be '*' [input: *]" },
    ],
    [
      'a control with another type',
      rules({ type: '*', name: 'a', for_control: 'C-1' }),
      { 'artifacts.attestations[0].for_control': "for_control is only allowed with type 'decision' [input: C-1]" },
    ],
    [
      'what no control is called',
      rules({ type: 'decision', for_control: 'C 1' }),
      {
        'artifacts.attestations[0].for_control': String.raw`String should match pattern '^[a-zA-Z0-9\-._~]+$' [input: C 1]`,
      },
    ],
  ])('%s', (_, text, errors) => {
    expect(refusals(text)).toEqual(errors);
  });

  test.each([
    'https://h/v2',
    'https://h/v1/x',
    'https://h/xv1',
    '/v1',
    'v1',
    'https:///v1',
    'https://h/?/v1',
    'a b://h/v1',
    '',
  ])('the schema %j', (_schema) => {
    expect(refusals(JSON.stringify({ _schema }))).toEqual({
      _schema: `Input should be an absolute URL whose path ends in /v1 [input: ${_schema}]`,
    });
  });

  test('names several places at once', () => {
    expect(Object.keys(refusals(file({ provenance: { x: 1 }, attestations: [{ type: 'x' }, { type: 1 }] })))).toEqual([
      'artifacts.provenance.x',
      'artifacts.attestations[0].type',
      'artifacts.attestations[1].type',
    ]);
  });

  test('a stored text that is no policy throws', () => {
    expect(() => readStoredPolicy('{}')).toThrow(/^A stored policy cannot be read: /);
  });
});

describe('limits', () => {
  test.each([
    ['attestation rules', (n: number) => rules(...Array(n).fill({ type: 'junit' })), MAX_ATTESTATION_RULES],
    ['exceptions', (n: number) => file({ provenance: { exceptions: Array(n).fill({}) } }), MAX_EXCEPTIONS],
  ])('allow as many %s as the limit and no more', (_, text, limit) => {
    expect(readPolicy(text(limit)).outcome).toBe('policy');
    expect(Object.values(refusals(text(limit + 1)))[0]).toMatch(
      `List should have at most ${limit} items after validation, not ${limit + 1}`,
    );
  });
});
