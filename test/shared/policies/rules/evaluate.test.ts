import { describe, expect, test } from 'vitest';
import {
  aContext,
  aMissingEntry,
  anArtifact,
  anEntry,
  aPolicy,
  evaluationOf,
  judge,
  resolutionTypes,
} from './policies.ts';

const UNKNOWN = anArtifact({ contexts: [] });
const build = { name: 'web', tags: { kind: 'build' } };
const release = { name: 'release', tags: { kind: 'release' } };

describe('a decision', () => {
  test('lists both boolean rules and every attestation rule, in the form of answers', () => {
    const content = aPolicy({
      provenance: { required: true, exceptions: [{ if: `\${{ matches(artifact.name, "^cache:") }}` }] },
      attestations: [
        { type: 'junit', if: 'flow.tags.kind == "build"' },
        { type: 'decision', for_control: 'C-1' },
      ],
    });
    const contexts = [aContext({ flow: build, entries: [anEntry()] }), aContext({ flow: release, trail: 'r-7' })];
    expect(judge(content, anArtifact({ contexts }), () => 'missing')).toEqual({
      policy_name: 'strict',
      policy_version: 3,
      status: 'NON-COMPLIANT',
      rule_evaluations: [
        {
          rule: {
            type: 'provenance',
            definition: { required: true, exceptions: [{ if: { text: 'matches(artifact.name, "^cache:")' } }] },
          },
          satisfied: true,
          ignored: false,
          resolutions: [
            { type: 'rule_satisfied', context: { flow_name: 'web', trail_name: 'release-1', artifact_status: null } },
            { type: 'rule_satisfied', context: { flow_name: 'release', trail_name: 'r-7', artifact_status: null } },
          ],
        },
        {
          rule: { type: 'trail-compliance', definition: { required: false, exceptions: [] } },
          satisfied: null,
          ignored: true,
          resolutions: [
            {
              type: 'rule_not_applicable',
              context: { flow_name: 'web', trail_name: 'release-1', artifact_status: 'COMPLIANT' },
            },
            {
              type: 'rule_not_applicable',
              context: { flow_name: 'release', trail_name: 'r-7', artifact_status: 'COMPLIANT' },
            },
          ],
        },
        {
          rule: {
            type: 'attestation',
            definition: {
              if: { text: 'flow.tags.kind == "build"' },
              name: '*',
              type: 'junit',
              must_be_compliant: true,
              for_control: null,
            },
          },
          satisfied: true,
          ignored: false,
          resolutions: [
            { type: 'rule_satisfied', context: { flow_name: 'web', trail_name: 'release-1', artifact_status: null } },
            {
              type: 'rule_not_applicable',
              context: { flow_name: 'release', trail_name: 'r-7', artifact_status: null },
            },
          ],
        },
        {
          rule: {
            type: 'attestation',
            definition: { if: null, name: '*', type: 'decision', must_be_compliant: true, for_control: 'C-1' },
          },
          satisfied: false,
          ignored: false,
          resolutions: [
            {
              type: 'missing_attestation',
              context: { flow_name: 'web', trail_name: 'release-1', artifact_status: null, for_control: 'C-1' },
            },
            {
              type: 'missing_attestation',
              context: { flow_name: 'release', trail_name: 'r-7', artifact_status: null, for_control: 'C-1' },
            },
          ],
        },
      ],
    });
  });

  test('is compliant for every artifact under a policy without rules', () => {
    expect(judge(aPolicy(), UNKNOWN).status).toBe('COMPLIANT');
    expect(judge(aPolicy(), anArtifact()).status).toBe('COMPLIANT');
  });

  test('is compliant for an artifact of a flow with an empty template', () => {
    const content = aPolicy({ provenance: { required: true }, 'trail-compliance': { required: true } });
    expect(judge(content, anArtifact()).status).toBe('COMPLIANT');
  });
});

describe('the provenance rule', () => {
  const required = aPolicy({ provenance: { required: true } });

  test('is satisfied by a flow with any verdict', () => {
    const artifact = anArtifact({ contexts: [aContext({ artifactStatus: 'NON-COMPLIANT' })] });
    expect(judge(required, artifact).status).toBe('COMPLIANT');
  });

  test('fails without a flow, in the context of no flow', () => {
    const decision = judge(required, UNKNOWN);
    expect(decision.status).toBe('NON-COMPLIANT');
    expect(evaluationOf(decision, 'provenance').resolutions).toEqual([
      { type: 'missing_provenance', context: { flow_name: null, trail_name: null, artifact_status: null } },
    ]);
  });

  test('may be waived for an artifact by its name', () => {
    const content = aPolicy({
      provenance: { required: true, exceptions: [{ if: 'matches(artifact.name, "^cache:")' }] },
    });
    const waived = judge(content, { ...UNKNOWN, name: 'cache:7' });
    expect(evaluationOf(waived, 'provenance')).toMatchObject({ satisfied: null, ignored: true });
    expect(waived.status).toBe('COMPLIANT');
    expect(judge(content, { ...UNKNOWN, name: 'web:7' }).status).toBe('NON-COMPLIANT');
  });

  test('is not waived by exceptions that are false, absent, or that fail at evaluation', () => {
    const exceptions = [{ if: 'false' }, { if: null }, {}, { if: 'artifact.name' }, { if: 'not artifact.name' }];
    expect(judge(aPolicy({ provenance: { required: true, exceptions } }), UNKNOWN).status).toBe('NON-COMPLIANT');
    const content = aPolicy({ provenance: { required: true, exceptions: [...exceptions, { if: 'true' }] } });
    expect(judge(content, UNKNOWN).status).toBe('COMPLIANT');
  });
});

describe('the trail-compliance rule', () => {
  const required = aPolicy({ 'trail-compliance': { required: true } });

  test.each([
    ['COMPLIANT', 'rule_satisfied', 'COMPLIANT'],
    ['INCOMPLETE', 'non_compliant_in_trail', 'NON-COMPLIANT'],
    ['NON-COMPLIANT', 'non_compliant_in_trail', 'NON-COMPLIANT'],
  ] as const)('resolves an artifact that is %s in its trail to %s', (artifactStatus, type, status) => {
    const decision = judge(required, anArtifact({ contexts: [aContext({ artifactStatus })] }));
    expect(evaluationOf(decision, 'trail-compliance').resolutions).toEqual([
      { type, context: { flow_name: 'web', trail_name: 'release-1', artifact_status: artifactStatus } },
    ]);
    expect(decision.status).toBe(status);
  });

  test('fails without a flow', () => {
    expect(evaluationOf(judge(required, UNKNOWN), 'trail-compliance').resolutions).toEqual([
      { type: 'non_compliant_in_trail', context: { flow_name: null, trail_name: null, artifact_status: null } },
    ]);
  });

  test('has to be satisfied in every flow that no exception waives', () => {
    const content = aPolicy({
      'trail-compliance': { required: true, exceptions: [{ if: 'flow.tags.kind != "build"' }] },
    });
    const failing = (flow: typeof build) => aContext({ flow, artifactStatus: 'NON-COMPLIANT' });
    const waived = judge(content, anArtifact({ contexts: [aContext({ flow: build }), failing(release)] }));
    expect(resolutionTypes(waived, 'trail-compliance')).toEqual(['rule_satisfied', 'rule_not_applicable']);
    expect(evaluationOf(waived, 'trail-compliance')).toMatchObject({ satisfied: true, ignored: false });

    const failed = judge(content, anArtifact({ contexts: [failing(build), aContext({ flow: release })] }));
    expect(resolutionTypes(failed, 'trail-compliance')).toEqual(['non_compliant_in_trail', 'rule_not_applicable']);
    expect(failed.status).toBe('NON-COMPLIANT');

    const both = [failing({ ...build, name: 'api' }), aContext({ flow: build })];
    expect(judge(content, anArtifact({ contexts: both })).status).toBe('NON-COMPLIANT');
    expect(judge(content, anArtifact({ contexts: [failing(release)] })).status).toBe('COMPLIANT');
  });
});

describe('an attestation rule', () => {
  const entry = anEntry();
  const failed = anEntry({ is_compliant: false });

  test.each([
    ['type', { type: 'junit' }, [entry], 'rule_satisfied'],
    ['name and type', { type: 'junit', name: 'unit-tests' }, [entry], 'rule_satisfied'],
    ['name', { type: '*', name: 'unit-tests' }, [entry], 'rule_satisfied'],
    ['another name', { type: 'junit', name: 'unit' }, [entry], 'missing_attestation'],
    ['a part of the name with a star', { type: 'junit', name: 'unit-*' }, [entry], 'missing_attestation'],
    ['another type', { type: 'snyk' }, [entry], 'missing_attestation'],
    ['nothing reported', { type: 'junit' }, [], 'missing_attestation'],
    ['a slot without an attestation', { type: 'junit' }, [aMissingEntry()], 'missing_attestation'],
    ['a failing report', { type: 'junit' }, [failed], 'non_compliant_attestation'],
    ['one that passes among others', { type: 'junit' }, [failed, entry, aMissingEntry()], 'rule_satisfied'],
    ['an unexpected report', { type: 'junit' }, [anEntry({ unexpected: true })], 'rule_satisfied'],
    ['a custom type', { type: 'custom:sbom' }, [anEntry({ attestation_type: 'custom:sbom' })], 'rule_satisfied'],
    ['another custom type', { type: 'custom:a' }, [anEntry({ attestation_type: 'custom:b' })], 'missing_attestation'],
    [
      'a custom type, of type custom',
      { type: 'custom:a' },
      [anEntry({ attestation_type: 'custom' })],
      'rule_satisfied',
    ],
    ['a decision for no control', { type: 'decision' }, [anEntry({ attestation_type: 'decision' })], 'rule_satisfied'],
    ['presence, of a failing report', { type: 'junit', must_be_compliant: false }, [failed], 'rule_satisfied'],
    ['presence, of nothing', { type: 'junit', must_be_compliant: false }, [], 'missing_attestation'],
    [
      'presence, of an unfilled slot',
      { type: 'junit', must_be_compliant: false },
      [aMissingEntry()],
      'missing_attestation',
    ],
  ])('an attestation rule for %s: %o', (_, rule, entries, type) => {
    const decision = judge(aPolicy({ attestations: [rule] }), anArtifact({ contexts: [aContext({ entries })] }));
    expect(resolutionTypes(decision, 'attestation')).toEqual([type]);
    expect(decision.status).toBe(type === 'rule_satisfied' ? 'COMPLIANT' : 'NON-COMPLIANT');
  });

  test('is satisfied by an attestation of the trail as a whole, as was observed for a pull request', () => {
    const pullRequest = anEntry({ attestation_name: 'pr', attestation_type: 'pull_request' });
    const artifact = anArtifact({ contexts: [aContext({ entries: [anEntry(), pullRequest] })] });
    expect(judge(aPolicy({ attestations: [{ type: 'pull_request' }] }), artifact).status).toBe('COMPLIANT');
  });

  test('fails for an artifact without a flow', () => {
    const decision = judge(aPolicy({ attestations: [{ type: 'junit' }] }), UNKNOWN);
    expect(evaluationOf(decision, 'attestation').resolutions).toEqual([
      { type: 'missing_attestation', context: { flow_name: null, trail_name: null, artifact_status: null } },
    ]);
  });

  test.each([
    ['true', 'missing_attestation'],
    ['false', 'rule_not_applicable'],
    ['flow.tags.kind == "build"', 'missing_attestation'],
    ['exists(flow.tags.env) and flow.tags.env != "aws-prod"', 'rule_not_applicable'],
    ['flow.name in ["api"]', 'rule_not_applicable'],
    // Fails at evaluation: the rule applies.
    ['flow.tags.kind', 'missing_attestation'],
    ['not flow.tags.kind', 'missing_attestation'],
  ])('an attestation rule with the condition %s resolves to %s', (condition, type) => {
    const content = aPolicy({ attestations: [{ type: 'snyk', if: condition }] });
    const decision = judge(content, anArtifact({ contexts: [aContext({ flow: build })] }));
    expect(resolutionTypes(decision, 'attestation')).toEqual([type]);
  });

  test('is ignored if it applies in no flow, and has to be satisfied in every flow in which it applies', () => {
    const content = aPolicy({ attestations: [{ type: 'junit', if: 'flow.tags.kind == "build"' }] });
    const without = anArtifact({ contexts: [aContext({ flow: release })] });
    expect(evaluationOf(judge(content, without), 'attestation')).toMatchObject({ satisfied: null, ignored: true });

    const tested = aContext({ flow: build, entries: [entry] });
    const untested = aContext({ flow: { ...build, name: 'api' } });
    const decision = judge(content, anArtifact({ contexts: [tested, untested, aContext({ flow: release })] }));
    expect(resolutionTypes(decision, 'attestation')).toEqual([
      'rule_satisfied',
      'missing_attestation',
      'rule_not_applicable',
    ]);
    expect(evaluationOf(decision, 'attestation')).toMatchObject({ satisfied: false, ignored: false });
  });
});
