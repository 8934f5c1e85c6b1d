import { describe, expect, test } from 'vitest';
import { PolicyDecisionOut, PolicyDumpOut } from '#shared/policies/rules/decision-schema.ts';
import type { JudgedArtifact } from '#shared/policies/rules/evaluate.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { type AnswerWord, aContext, anArtifact, anEntry, aPolicy, judge as judgeArtifact } from './policies.ts';

const POLICY = aPolicy({
  provenance: { required: true, exceptions: [{ if: 'matches(artifact.name, "^trusted")' }] },
  'trail-compliance': { required: true },
  attestations: [
    { type: 'junit', name: 'unit', if: 'flow.name == "web"' },
    { type: 'snyk', must_be_compliant: false },
    { type: 'decision', for_control: 'C-1' },
  ],
});
const judge = (artifact: Partial<JudgedArtifact>, answer: AnswerWord) =>
  judgeArtifact(POLICY, anArtifact(artifact), () => answer, 'prod');

const DECISIONS = {
  'without provenance': judge({ contexts: [] }, 'missing'),
  'failing everywhere': judge(
    {
      contexts: [
        aContext({
          artifactStatus: 'NON-COMPLIANT',
          entries: [anEntry({ attestation_name: 'unit', is_compliant: false })],
        }),
      ],
    },
    'non_compliant',
  ),
  'in two flows': judge({ contexts: [aContext(), aContext({ flow: { name: 'other', tags: {} } })] }, 'satisfied'),
  excepted: judge({ name: 'trusted', contexts: [] }, 'satisfied'),
};

describe('decisions in answers', () => {
  test.each(Object.entries(DECISIONS))('pass the output schema unchanged: %s', (_, decision) => {
    expect(PolicyDecisionOut.parse(decision)).toEqual(decision);
  });

  test('have a dump that passes the output schema unchanged', () => {
    expect(PolicyDumpOut.parse(policyDump(POLICY))).toEqual(policyDump(POLICY));
  });
});

describe('reasons', () => {
  test('name the rule that failed, and its flow and trail', () => {
    expect(reasonsOf([DECISIONS['failing everywhere']])).toEqual([
      "Policy 'prod' version 3: the artifact is not compliant in its trail (flow 'web', trail 'release-1')",
      "Policy 'prod' version 3: an attestation 'unit' of type 'junit' is not compliant (flow 'web', trail 'release-1')",
      "Policy 'prod' version 3: an attestation '*' of type 'snyk' is missing (flow 'web', trail 'release-1')",
      "Policy 'prod' version 3: a decision for control 'C-1' is not compliant (flow 'web', trail 'release-1')",
    ]);
    expect(reasonsOf([DECISIONS['without provenance']])).toContain(
      "Policy 'prod' version 3: no flow knows the artifact",
    );
  });

  test('leave out rules that are satisfied in one flow, and policies that are satisfied', () => {
    expect(reasonsOf([DECISIONS['in two flows']]).filter((reason) => reason.includes('not compliant'))).toEqual([]);
    expect(reasonsOf([])).toEqual([]);
  });
});
