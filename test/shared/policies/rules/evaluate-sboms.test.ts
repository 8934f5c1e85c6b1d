import { describe, expect, test } from 'vitest';
import type { KnownComponents } from '#shared/components/rules/known-components.ts';
import type { PackageName } from '#shared/components/rules/package-name.ts';
import { MAX_DENIALS, packagesAsked } from '#shared/policies/rules/component-rules.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { outcomeText, readOutcomes, UnreadableOutcome } from '#shared/policies/rules/results.ts';
import { policyWork } from '#shared/policies/rules/work.ts';
import {
  aContext,
  anArtifact,
  aPolicy,
  evaluationOf,
  judge,
  refusals,
  resolutionTypes,
  SCHEMA_URL,
} from './policies.ts';

/** The rules about SBOMs (docs/rules/policies.md#sboms). */

type Sbom = KnownComponents['sboms'][number];

/** An SBOM with these versions, by package URL; `name:` begins a component without one. */
const sbom = (versions: Record<string, (string | null)[]> = {}, more: Partial<Sbom> = {}): Sbom => ({
  name: 'bom',
  grade: 'stated',
  versionsOf: (one: PackageName) =>
    (versions[one.package ?? `name:${one.name}`] ?? []).map((version) => ({ version, qualifiers: null })),
  ...more,
});
const known = (...sboms: Sbom[]): KnownComponents => ({ unknown: null, sboms });
const unknown = (kind: NonNullable<KnownComponents['unknown']>['kind'], ...sboms: Sbom[]): KnownComponents => ({
  unknown: { kind, sbom: kind === 'none' ? null : 'bom', recalls: kind === 'recalled' ? ['leak'] : [] },
  sboms,
});

const judgeWith = (
  artifacts: Record<string, unknown>,
  components: KnownComponents | undefined,
  contexts = [aContext()],
) => judge(aPolicy(artifacts), anArtifact({ contexts, components }));
const sentence = (artifacts: Record<string, unknown>, components: KnownComponents | undefined) =>
  reasonsOf([judgeWith(artifacts, components)])
    .join()
    .replace(/^Policy 'strict' version 3: (.*) \(flow 'web', trail 'release-1'\)$/, '$1');

const REQUIRED = { sbom: { required: true } };
const deny = (purl: string, versions?: string, more = {}) => ({ components: { deny: [{ purl, versions, ...more }] } });
const OLD_LODASH = deny('pkg:npm/lodash', 'vers:npm/<4.17.21');
const LODASH = 'pkg:npm/lodash';

describe('the rule sbom', () => {
  test.each<[string, Record<string, unknown>, KnownComponents | undefined, string]>([
    ['nobody read the SBOMs', {}, undefined, 'an SBOM is missing'],
    ['none was reported', {}, unknown('none'), 'an SBOM is missing'],
    ['it is not read yet', {}, unknown('pending'), "an SBOM is missing: SBOM 'bom' is not read yet"],
    ['one of two is not read yet', {}, unknown('pending', sbom()), "an SBOM is missing: SBOM 'bom' is not read yet"],
    ['it cannot be read', {}, unknown('unreadable'), "an SBOM is missing: SBOM 'bom' cannot be read"],
    ['it was recalled', {}, unknown('recalled'), "an SBOM is missing: SBOM 'bom' was recalled by 'leak'"],
    ['it was erased', {}, unknown('erased'), "an SBOM is missing: SBOM 'bom' was erased"],
    [
      'the grade is too low',
      { grade: 'signed' },
      known(sbom({}, { grade: 'identified' })),
      'an SBOM is missing: grade needs signed, found grade identified',
    ],
    [
      'somebody else signed',
      { signed_by: 'release', grade: 'signed' },
      known(sbom({}, { grade: 'logged', signer: 'other' })),
      "an SBOM is missing: signed_by needs 'release' and grade needs signed, found signer 'other' with grade logged",
    ],
  ])('is not satisfied if %s', (_, more, components, expected) => {
    const decision = judgeWith({ sbom: { required: true, ...more } }, components);
    expect(resolutionTypes(decision, 'sbom')).toEqual(['missing_sbom']);
    expect(decision.status).toBe('NON-COMPLIANT');
    expect(sentence({ sbom: { required: true, ...more } }, components)).toBe(expected);
  });

  test.each<[string, Record<string, unknown>, KnownComponents]>([
    ['any SBOM that can be read', {}, known(sbom())],
    ['one of the grade', { grade: 'signed' }, known(sbom({}, { grade: 'logged' }), sbom())],
    [
      'one that a signer of the list signed',
      { signed_by: ['a', 'b'] },
      known(sbom({}, { grade: 'signed', signer: 'b' })),
    ],
  ])('is satisfied by %s', (_, more, components) => {
    expect(evaluationOf(judgeWith({ sbom: { required: true, ...more } }, components), 'sbom').satisfied).toBe(true);
  });

  test('has one answer for all contexts, and exceptions waive it in some of them', () => {
    const contexts = ['build', 'deploy'].map((name) => aContext({ flow: { name, tags: {} } }));
    const rule = { sbom: { required: true, exceptions: [{ if: 'flow.name == "deploy"' }] } };
    expect(resolutionTypes(judgeWith(rule, unknown('none'), contexts), 'sbom')).toEqual([
      'missing_sbom',
      'rule_not_applicable',
    ]);
    expect(resolutionTypes(judgeWith(REQUIRED, known(sbom()), contexts), 'sbom')).toEqual([
      'rule_satisfied',
      'rule_satisfied',
    ]);
    const without = judgeWith({ sbom: { required: true, exceptions: [{ if: 'not exists(flow)' }] } }, undefined, []);
    expect(evaluationOf(without, 'sbom')).toMatchObject({ ignored: true, satisfied: null });
  });

  test('is in the answer only if the policy has it, and applies only if it is required', () => {
    expect(judgeWith({}, undefined).rule_evaluations.map(({ rule }) => rule.type)).toEqual([
      'provenance',
      'trail-compliance',
    ]);
    expect(resolutionTypes(judgeWith({ sbom: {} }, undefined), 'sbom')).toEqual(['rule_not_applicable']);
    const rule = { required: true, signed_by: 'release', grade: 'signed' };
    expect(evaluationOf(judgeWith({ sbom: rule }, undefined), 'sbom').rule.definition).toEqual({
      ...{ required: true, exceptions: [], signed_by: ['release'], grade: 'signed' },
    });
    expect(policyDump(aPolicy({ sbom: rule })).artifacts.sbom).toEqual({
      ...{ required: true, exceptions: [], signed_by: ['release'], grade: 'signed' },
    });
    expect(Object.keys(policyDump(aPolicy()).artifacts)).not.toEqual(expect.arrayContaining(['sbom']));
  });
});

describe('a denied component', () => {
  test.each<[string, object, KnownComponents | undefined, string | null]>([
    ['another version', OLD_LODASH, known(sbom({ [LODASH]: ['4.17.21'] })), null],
    ['another package', OLD_LODASH, known(sbom({ 'pkg:npm/other': ['1.0.0'] })), null],
    [
      'a denied version',
      OLD_LODASH,
      known(sbom({ [LODASH]: ['4.17.20'] })),
      "SBOM 'bom' lists pkg:npm/lodash 4.17.20, which is denied",
    ],
    [
      'several denied versions',
      OLD_LODASH,
      known(sbom({ [LODASH]: ['4.17.20', '5.0.0', '3.0.0', '2.0.0'] })),
      "SBOM 'bom' lists pkg:npm/lodash 4.17.20 and 2 more versions, which is denied",
    ],
    [
      'a version in the second SBOM',
      OLD_LODASH,
      known(sbom(), sbom({ [LODASH]: ['4.17.20'] }, { name: 'base' })),
      "SBOM 'base' lists pkg:npm/lodash 4.17.20, which is denied",
    ],
    [
      'the version of the package URL',
      deny('pkg:npm/%40angular/core@12.3.1'),
      known(sbom({ 'pkg:npm/%40angular/core': ['12.3.1'] })),
      "SBOM 'bom' lists pkg:npm/%40angular/core 12.3.1, which is denied",
    ],
    [
      'any version, one that nobody knows too',
      deny('pkg:npm/lodash', 'vers:npm/*'),
      known(sbom({ [LODASH]: [null] })),
      "SBOM 'bom' lists pkg:npm/lodash, which is denied",
    ],
    [
      'a denied version beside an SBOM that cannot be read',
      OLD_LODASH,
      unknown('unreadable', sbom({ [LODASH]: ['4.17.20'] }, { name: 'base' })),
      "SBOM 'base' lists pkg:npm/lodash 4.17.20, which is denied",
    ],
    [
      'no SBOM',
      OLD_LODASH,
      undefined,
      'nobody knows whether the artifact holds pkg:npm/lodash (vers:npm/<4.17.21): no SBOM of it was reported',
    ],
    [
      'an SBOM that is not read yet beside one that is',
      OLD_LODASH,
      unknown('pending', sbom()),
      "nobody knows whether the artifact holds pkg:npm/lodash (vers:npm/<4.17.21): SBOM 'bom' is not read yet",
    ],
    [
      'a version that cannot be compared',
      OLD_LODASH,
      known(sbom({ [LODASH]: ['latest!'] })),
      "nobody knows whether the artifact holds pkg:npm/lodash (vers:npm/<4.17.21): SBOM 'bom' lists pkg:npm/lodash latest!, which cannot be compared",
    ],
    [
      'no version',
      OLD_LODASH,
      known(sbom({ [LODASH]: [null] })),
      "nobody knows whether the artifact holds pkg:npm/lodash (vers:npm/<4.17.21): SBOM 'bom' lists pkg:npm/lodash without a version",
    ],
    [
      'a component of the name without a package URL',
      OLD_LODASH,
      known(sbom({ 'name:lodash': ['4.17.21'] })),
      "nobody knows whether the artifact holds pkg:npm/lodash (vers:npm/<4.17.21): SBOM 'bom' lists a component of this name without a package URL",
    ],
  ])('%s', (_, artifacts, components, expected) => {
    expect(sentence({ ...artifacts }, components)).toBe(expected ?? '');
  });

  test('is denied only where its condition is true', () => {
    const held = known(sbom({ [LODASH]: ['1.0.0'] }));
    const rule = deny('pkg:npm/lodash@1.0.0', undefined, { if: 'flow.name == "other"' });
    expect(evaluationOf(judgeWith(rule, held), 'denied-component')).toMatchObject({ ignored: true });
    const here = deny('pkg:npm/lodash@1.0.0', undefined, { if: 'flow.name == "web"' });
    expect(resolutionTypes(judgeWith(here, held), 'denied-component')).toEqual(['denied_component']);
  });

  test('stands behind the other rules in decisions, in the order of the file, and in dumps', () => {
    const artifacts = {
      attestations: [{ type: 'junit' }],
      ...REQUIRED,
      components: { deny: [{ purl: 'pkg:npm/a@1' }, { purl: 'pkg:NPM/b', versions: 'vers:npm/*', if: 'true' }] },
    };
    const decision = judgeWith(artifacts, known(sbom()));
    expect(decision.rule_evaluations.map(({ rule }) => rule.type)).toEqual([
      ...['provenance', 'trail-compliance', 'attestation', 'sbom', 'denied-component', 'denied-component'],
    ]);
    expect(decision.rule_evaluations.at(-1)?.rule.definition).toEqual({
      ...{ purl: 'pkg:npm/b', versions: 'vers:npm/*', if: { text: 'true' } },
    });
    expect(policyDump(aPolicy(artifacts)).artifacts.components).toEqual({
      deny: [
        { purl: 'pkg:npm/a@1', versions: null, if_condition: null },
        { purl: 'pkg:npm/b', versions: 'vers:npm/*', if_condition: { text: 'true' } },
      ],
    });
    expect(Object.keys(policyDump(aPolicy(REQUIRED)).artifacts)).not.toEqual(expect.arrayContaining(['components']));
  });

  test.each<[string, object, string[], RegExp]>([
    ['no package URL', { purl: 'lodash' }, ['purl'], /pkg:.*\[input: lodash\]/],
    [
      'no version',
      { purl: LODASH },
      ['versions'],
      /^Give a range, or a version in purl\. All versions are vers:npm\/\*$/,
    ],
    [
      'two versions',
      { purl: `${LODASH}@1`, versions: 'vers:npm/<2.0.0' },
      ['versions'],
      /^Give a range or a version in purl/,
    ],
    ['no range', { purl: LODASH, versions: '<2' }, ['versions'], /^A range has the form .*\[input: <2\]/],
    ['reversed bounds', { purl: LODASH, versions: 'vers:npm/>=2|<1' }, ['versions'], /\[input: vers:npm\/>=2\|<1\]/],
    [
      'a range of another ecosystem',
      { purl: LODASH, versions: 'vers:pypi/<2' },
      ['versions'],
      /^A range of pypi does not fit/,
    ],
    ['a path', { purl: `${LODASH}@1#src` }, ['purl'], /about a package/],
    ['another key', { purl: `${LODASH}@1`, range: 'x' }, ['range'], /^Extra inputs are not permitted/],
    ['a wrong condition', { purl: `${LODASH}@1`, if: 'flow.name ==' }, ['if'], /expected a value/],
    ['a number', { purl: 1 }, ['purl'], /string/],
  ])('%s is refused at its place', (_, rule, fields, text) => {
    const errors = refusals(JSON.stringify({ _schema: SCHEMA_URL, artifacts: { components: { deny: [rule] } } }));
    expect(Object.keys(errors)).toEqual(fields.map((field) => `artifacts.components.deny[0].${field}`));
    expect(Object.values(errors)[0]).toMatch(text);
  });

  test('too many, a text in place of the rules, and an unknown grade are refused at their places', () => {
    const refused = (artifacts: object) => Object.keys(refusals(JSON.stringify({ _schema: SCHEMA_URL, artifacts })));
    const most = Array(MAX_DENIALS).fill({ purl: `${LODASH}@1` });
    expect(refused({ components: { deny: most } })).toEqual([]);
    expect(refused({ components: { deny: [...most, most[0]] } })).toEqual(['artifacts.components.deny']);
    expect(refused({ components: 'deny' })).toEqual(['artifacts.components']);
    expect(refused({ sbom: 'required' })).toEqual(['artifacts.sbom']);
    expect(refused({ sbom: { required: true, grade: 'trusted' } })).toEqual(['artifacts.sbom.grade']);
  });
});

describe('results of rules about SBOMs', () => {
  test('keep what was found behind the letters, whatever characters it has', () => {
    const outcomes = [
      { type: 'rule_satisfied' as const },
      {
        type: 'denied_component' as const,
        sbom: { why: 'denied' as const, sbom: 'a b~c!d@e=f', version: '1:2~rc1-ü', more: 2 },
      },
      { type: 'unknown_components' as const, sbom: { why: 'none' as const, sbom: null, version: '-', more: 0 } },
      {
        type: 'missing_sbom' as const,
        sbom: { why: 'recalled' as const, sbom: 'bom', version: null, more: 0 },
        recalled: ['leak', 'key'],
      },
    ];
    const text = outcomeText(outcomes);
    expect(text).toMatch(/^sdub 3!leak!key 1=denied='/);
    expect(outcomes.map((_, i) => readOutcomes(text)(i))).toEqual(outcomes);
  });

  test.each(["d 0=other='a=-=0", "d 0=denied='%FF=-=0", "d 0=denied='a=-", "d 0=denied='a=-=x", 'd 0='])(
    'are refused with a mark that nobody writes: %s',
    (text) => {
      expect(() => readOutcomes(text)).toThrow(UnreadableOutcome);
    },
  );

  test('keep long names and versions cut', () => {
    const sbomFound = { why: 'denied' as const, sbom: 'n'.repeat(999), version: 'ü'.repeat(999), more: 0 };
    const read = readOutcomes(outcomeText([{ type: 'denied_component', sbom: sbomFound }]))(0);
    expect(read?.sbom).toMatchObject({ sbom: 'n'.repeat(200), version: 'ü'.repeat(200) });
  });

  test('name what has to be read: nothing, only SBOMs, or packages with the components of their names', () => {
    expect(packagesAsked([aPolicy()])).toBeNull();
    expect(packagesAsked([aPolicy({ sbom: {}, components: {} })])).toBeNull();
    expect(packagesAsked([aPolicy(REQUIRED)])).toEqual([]);
    expect(packagesAsked([aPolicy(deny('pkg:maven/org.example/Parser@1'))])).toEqual([
      { package: 'pkg:maven/org.example/Parser', name: 'Parser' },
      { package: null, name: 'parser' },
    ]);
  });

  test('count as rules in the work of an evaluation, with their conditions', () => {
    const plain = policyWork([aPolicy()]);
    const more = policyWork([
      aPolicy({
        sbom: { required: true, exceptions: [{ if: 'true' }] },
        ...deny(`${LODASH}@1`, undefined, { if: 'true' }),
      }),
    ]);
    expect([more.rules - plain.rules, more.perFlow - plain.perFlow]).toEqual([2, 4]);
  });
});
