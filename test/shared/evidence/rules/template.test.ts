import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { STATEMENT_KINDS } from '#shared/evidence/rules/predicates/kind-of.ts';
import {
  EMPTY_TEMPLATE,
  legacyTemplate,
  parseTemplate,
  readStoredTemplate,
  SLOT_TYPES,
  TemplateError,
} from '#shared/evidence/rules/template.ts';

function problemsOf(text: string): readonly string[] {
  try {
    parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) return error.problems;
    throw error;
  }
  return [];
}

test('every kind of signed statement is a type of slots', () => {
  expect(SLOT_TYPES).toEqual(expect.arrayContaining([...STATEMENT_KINDS]));
});

describe('parseTemplate', () => {
  test.each([
    ['no text', ''],
    ['white space', ' \n\n'],
    ['only comments', '# nothing yet\n# at all\n'],
    ['the version alone', 'version: 1'],
    ['a trail of null', 'version: 1\ntrail:\n'],
    ['an empty trail', 'trail: {}'],
    ['empty lists', 'version: 1\ntrail:\n  attestations: []\n  artifacts: []\n'],
    ['an explicit document', '---\nversion: 1\n...\n'],
    ['a byte order mark', '\uFEFFversion: 1\n'],
  ])('takes %s as the empty template', (_, text) => {
    expect(parseTemplate(text)).toEqual(EMPTY_TEMPLATE);
  });

  test('reads attestations of the trail and of its artifacts, in order', () => {
    const text = `
version: 1
trail:
  attestations:
    - name: pr # who looked
      type: pull_request
    - {name: 'ticket', type: "jira"}
  artifacts:
    - name: backend
      attestations:
        - {name: unit, type: junit}
        - {name: coverage, type: "custom:coverage-metrics"}
        - {name: any, type: "*"}
    - name: frontend
`;
    expect(parseTemplate(text)).toEqual({
      version: 1,
      trail: {
        attestations: [
          { name: 'pr', type: 'pull_request' },
          { name: 'ticket', type: 'jira' },
        ],
        artifacts: [
          {
            name: 'backend',
            attestations: [
              { name: 'unit', type: 'junit' },
              { name: 'coverage', type: 'custom:coverage-metrics' },
              { name: 'any', type: '*' },
            ],
          },
          { name: 'frontend', attestations: [] },
        ],
      },
    });
  });

  const slot = (fields: string) => `trail:\n  attestations:\n    - {${fields}}\n`;

  test.each([
    ['a list at the top', '- a', 'template: Input should be a mapping [input: a list]'],
    ['a word at the top', 'hello', "template: Input should be a mapping [input: 'hello']"],
    ['another version', 'version: 2', "version: Input should be 1 [input: '2']"],
    ['a version in quotes', 'version: "1"', "version: Input should be 1 [input: '1']"],
    ['no version after the key', 'version:', 'version: Input should be 1 [input: nothing]'],
    ['an unknown key at the top', 'versions: 1', "template: Unknown key 'versions'"],
    ['an unknown key of the trail', 'trail: {attestation: []}', "trail: Unknown key 'attestation'"],
    ['an unknown key of a slot', slot('name: a, type: snyk, if: x'), "trail.attestations[0]: Unknown key 'if'"],
    [
      'an unknown key of an artifact',
      'trail: {artifacts: [{name: a, tpye: x}]}',
      "trail.artifacts[0]: Unknown key 'tpye'",
    ],
    ['the key __proto__', '__proto__: {trail: null}', "template: Unknown key '__proto__'"],
    ['the key constructor', 'trail: {constructor: 1}', "trail: Unknown key 'constructor'"],
    ['a merge key', '<<: {version: 1}', "template: Unknown key '<<'"],
    ['a trail that is a list', 'trail: []', 'trail: Input should be a mapping [input: a list]'],
    ['a list that is null', 'trail: {artifacts: }', 'trail.artifacts: Input should be a list [input: nothing]'],
    [
      'a slot that is a word',
      'trail: {attestations: [a]}',
      "trail.attestations[0]: Input should be a mapping [input: 'a']",
    ],
    ['a slot without a name', slot('type: snyk'), 'trail.attestations[0].name: Field required'],
    ['a slot without a type', slot('name: a'), 'trail.attestations[0].type: Field required'],
    ['an empty name', slot('name: "", type: snyk'), 'trail.attestations[0].name: Name must not be empty'],
    [
      'a name that is a number',
      slot('name: 7, type: snyk'),
      "trail.attestations[0].name: Input should be a valid string [input: '7']",
    ],
    [
      'an attestation name with a dot',
      slot('name: a.b, type: snyk'),
      "trail.attestations[0].name: Not an attestation name 'a.b'",
    ],
    [
      'an artifact name with a dot',
      'trail: {artifacts: [{name: a.b}]}',
      "trail.artifacts[0].name: Not an artifact name 'a.b'",
    ],
    [
      'an artifact without a name',
      'trail: {artifacts: [{attestations: []}]}',
      'trail.artifacts[0].name: Field required',
    ],
  ])('refuses %s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test.each(['unit-test', 'custom:', 'custom:a b', 'Generic', '', '**', 'system', 'toString'])(
    'refuses the type "%s"',
    (type) => {
      expect(problemsOf(slot(`name: a, type: "${type}"`))).toEqual([
        `trail.attestations[0].type: Unknown type '${type}', expected one of generic, junit, snyk, pull_request, jira, sonar, decision, provenance, vsa, sbom, vulns, test-result, vex, sarif, release, statement, *, custom:<name>`,
      ]);
    },
  );

  test('refuses a repeated name within one list, and accepts it in different lists', () => {
    const twice = 'trail:\n  attestations: [{name: a, type: snyk}, {name: a, type: junit}]\n';
    expect(problemsOf(twice)).toEqual(["trail.attestations[1].name: Name 'a' is used more than once"]);
    expect(problemsOf('trail: {artifacts: [{name: a}, {name: a}]}')).toEqual([
      "trail.artifacts[1].name: Name 'a' is used more than once",
    ]);
    expect(
      problemsOf(
        'trail: {attestations: [{name: a, type: snyk}], artifacts: [{name: a, attestations: [{name: a, type: snyk}]}]}',
      ),
    ).toEqual([]);
  });

  test('says "validation errors" for every number of problems', () => {
    expect(() => parseTemplate('version: 2')).toThrow(
      'template file is invalid. 1 validation errors for Template\nversion: ',
    );
    const two = 'versoin: 1\ntrail: {attestations: [{name: a, type: b}]}';
    expect(() => parseTemplate(two)).toThrow(/^template file is invalid\. 2 validation errors for Template\n.+\n.+$/);
    expect(() => parseTemplate('a: [')).toThrow(/.* validation errors for Template\n.*/);
  });

  test('lists no more than fifty problems', () => {
    const many = `trail:\n  attestations:\n${'    - {}\n'.repeat(1000)}`;
    expect(problemsOf(many)).toHaveLength(50);
  });

  test('cuts long values in problem texts', () => {
    expect(problemsOf(slot(`name: a, type: "${'x'.repeat(10_000)}"`))[0]?.length).toBeLessThan(300);
  });

  test('accepts every slot type', () => {
    const types = [...SLOT_TYPES, 'custom:a.b-c_d~e'];
    const text = stringify({ trail: { attestations: types.map((type, i) => ({ name: `slot-${i}`, type })) } });
    expect(parseTemplate(text).trail.attestations.map(({ type }) => type)).toEqual(types);
  });

  test('parses every generated template to the same structure', () => {
    const name = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 20 });
    const letters = 'abzABZ019-_';
    const type = fc.oneof(
      fc.constantFrom(...SLOT_TYPES),
      fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9.\-_~]{0,20}$/).map((custom) => `custom:${custom}`),
    );
    const slots = fc.uniqueArray(fc.record({ name: name(`${letters},`), type }), {
      maxLength: 6,
      selector: (s) => s.name,
    });
    const template = fc.record({
      version: fc.constant(1 as const),
      trail: fc.record({
        attestations: slots,
        artifacts: fc.uniqueArray(fc.record({ name: name(letters), attestations: slots }), {
          maxLength: 4,
          selector: (artifact) => artifact.name,
        }),
      }),
    });
    fc.assert(
      fc.property(template, fc.constantFrom('block', 'flow'), (given, style) => {
        const text = stringify(given, { collectionStyle: style === 'flow' ? 'flow' : 'block' });
        expect(parseTemplate(text)).toEqual(given);
      }),
    );
  });

  test('returns a template or throws a TemplateError for any text', () => {
    const fragments = fc.constantFrom(
      'version: 1',
      'trail:',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      'name: a',
      ': ',
      '? ',
      '"',
      "'",
      '&a',
      '*a',
      '!!t ',
      '|',
      '>',
      '#',
      '---',
      '...',
      '%',
      ',',
      '\t',
      '\0',
      '\u{1F600}',
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 30 }), (parts) => {
        expect(problemsOf(parts.join(''))).toBeInstanceOf(Array);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readStoredTemplate', () => {
  test('accepts names that earlier rules allowed', () => {
    const text = 'trail: {attestations: [{name: "", type: snyk}, {name: a.b, type: junit}, {name: a.b, type: junit}]}';
    expect(readStoredTemplate(text).trail.attestations.map(({ name }) => name)).toEqual(['', 'a.b', 'a.b']);
  });

  test('refuses a text that is no template', () => {
    expect(() => readStoredTemplate('trail: [')).toThrow(TemplateError);
  });
});

describe('legacyTemplate', () => {
  test('turns control names into slots of any type on one artifact', () => {
    expect(legacyTemplate(['artifact', ' unit-test', 'scan', 'scan', ''])).toEqual({
      version: 1,
      trail: {
        attestations: [],
        artifacts: [
          {
            name: 'artifact',
            attestations: [
              { name: 'unit-test', type: '*' },
              { name: 'scan', type: '*' },
            ],
          },
        ],
      },
    });
  });

  test('gives the empty template if the list names no control', () => {
    expect(legacyTemplate(['artifact'])).toEqual(EMPTY_TEMPLATE);
    expect(legacyTemplate([])).toEqual(EMPTY_TEMPLATE);
  });
});
