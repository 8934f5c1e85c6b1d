import { describe, expect, test } from 'vitest';
import { aContext, anArtifact, anEntry, aPolicy, evaluationOf, judge, resolutionTypes } from './policies.ts';

describe('reported_by', () => {
  const origin = {
    trust: 'web',
    issuer: 'https://issuer.example',
    subject: 'repo:org/web',
    repository: 'org/web',
    claims: { repository_owner_id: '7' },
  };
  const byWeb = 'identity.repository == "org/web" and identity.claims.repository_owner_id == "7"';

  test.each([
    ['counts an attestation of the reporter', origin, 'rule_satisfied'],
    ['does not count one of another reporter', { ...origin, repository: 'org/other' }, 'missing_attestation'],
    ['does not count one without a verified identity', undefined, 'missing_attestation'],
  ])('reported_by of an attestation rule %s', (_, from, resolution) => {
    const content = aPolicy({ attestations: [{ type: 'junit', reported_by: byWeb }] });
    const entries = [anEntry(from ? { origin: from } : {})];
    const decision = judge(content, anArtifact({ contexts: [aContext({ entries })] }));
    expect(resolutionTypes(decision, 'attestation')).toEqual([resolution]);
    expect(evaluationOf(decision, 'attestation').rule.definition).toMatchObject({ reported_by: { text: byWeb } });
  });

  test('reported_by of an attestation rule looks at each attestation: one of the reporter is enough', () => {
    const content = aPolicy({ attestations: [{ type: 'junit', reported_by: byWeb }] });
    const entries = [anEntry(), anEntry({ origin, is_compliant: false }), anEntry({ origin })];
    expect(resolutionTypes(judge(content, anArtifact({ contexts: [aContext({ entries })] })), 'attestation')).toEqual([
      'rule_satisfied',
    ]);
  });

  test.each([
    ['a report of the reporter', { origin }, 'rule_satisfied'],
    ['another report', {}, 'missing_provenance'],
  ])('reported_by of the provenance rule: %s', (_, context, resolution) => {
    const content = aPolicy({ provenance: { required: true, reported_by: byWeb } });
    const decision = judge(content, anArtifact({ contexts: [aContext(context)] }));
    expect(resolutionTypes(decision, 'provenance')).toEqual([resolution]);
  });

  test('reported_by with a problem counts nothing', () => {
    const content = aPolicy({ attestations: [{ type: 'junit', reported_by: 'identity.repository == true' }] });
    const decision = judge(content, anArtifact({ contexts: [aContext({ entries: [anEntry({ origin })] })] }));
    expect(resolutionTypes(decision, 'attestation')).toEqual(['missing_attestation']);
  });
});
