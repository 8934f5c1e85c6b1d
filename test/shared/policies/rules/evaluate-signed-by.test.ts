import { describe, expect, test } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import { firstMicrosFrom } from '#shared/base/time.ts';
import type { SlotProof } from '#shared/evidence/rules/slot-proof.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { outcomeText } from '#shared/policies/rules/results.ts';
import { testId } from '#test/support/ids.ts';
import {
  aContext,
  anArtifact,
  anEntry,
  aPolicy,
  evaluationOf,
  judge,
  refusals,
  resolutionTypes,
  SCHEMA_URL,
} from './policies.ts';

const release = { name: 'release', version: 2 };
const signed: SlotProof = { grade: 'signed', signer: release };
const origin = { trust: 'web', issuer: 'https://issuer.example', subject: 'repo:org/web', claims: {} };

const judgeEntries = (rule: Record<string, unknown>, ...entries: ReturnType<typeof anEntry>[]) =>
  judge(aPolicy({ attestations: [{ type: 'junit', ...rule }] }), anArtifact({ contexts: [aContext({ entries })] }));

const reasonFor = (rule: Record<string, unknown>, ...entries: ReturnType<typeof anEntry>[]) =>
  reasonsOf([judgeEntries(rule, ...entries)]).join();

describe('signed_by and grade', () => {
  test.each<[string, Record<string, unknown>, Partial<ReturnType<typeof anEntry>>, boolean]>([
    ['its signature', { signed_by: 'release' }, { proof: signed }, true],
    ['the signature of one of several', { signed_by: ['audit', 'release'] }, { proof: signed }, true],
    ['no signature', { signed_by: 'release' }, {}, false],
    ['a signature of somebody else', { signed_by: 'audit' }, { proof: signed }, false],
    ['what the service made, which nobody signed', { signed_by: 'release' }, { proof: { grade: 'observed' } }, false],
    ['a higher grade', { grade: 'signed' }, { proof: { ...signed, grade: 'logged' } }, true],
    ['a lower grade', { grade: 'logged' }, { proof: signed }, false],
    ['what the service made, where a grade is asked for', { grade: 'logged' }, { proof: { grade: 'observed' } }, true],
    ['a pipeline that proved itself', { grade: 'identified' }, { origin }, true],
    ['a pipeline whose bundle failed', { grade: 'identified' }, { origin, proof: { grade: 'stated' } }, false],
    ['any evidence for the least grade', { grade: 'stated' }, {}, true],
    ['one of both', { signed_by: 'release', grade: 'logged' }, { proof: signed }, false],
    ['a failed test that is signed', { signed_by: 'release' }, { proof: signed, is_compliant: false }, false],
  ])('judge %s', (_, rule, entry, satisfied) => {
    expect(evaluationOf(judgeEntries(rule, anEntry(entry)), 'attestation').satisfied).toBe(satisfied);
  });

  test('look at each attestation: a signed one counts beside one that is not', () => {
    expect(
      resolutionTypes(judgeEntries({ signed_by: 'release' }, anEntry(), anEntry({ proof: signed })), 'attestation'),
    ).toEqual(['rule_satisfied']);
  });

  test.each<[string, Record<string, unknown>, Partial<ReturnType<typeof anEntry>>, string]>([
    ['nobody signed', { signed_by: 'release' }, {}, "signed_by needs 'release', found grade stated"],
    [
      'somebody else signed',
      { signed_by: ['audit', 'review'] },
      { proof: { ...signed, grade: 'logged' } },
      "signed_by needs 'audit' or 'review', found signer 'release' with grade logged",
    ],
    [
      'the grade is too low',
      { signed_by: 'release', grade: 'logged' },
      { proof: signed },
      "signed_by needs 'release' and grade needs logged, found signer 'release' with grade signed",
    ],
    ['a pipeline reported', { grade: 'signed' }, { origin }, 'grade needs signed, found grade identified'],
  ])('say what was found instead where %s', (_, rule, entry, sentence) => {
    expect(reasonFor(rule, anEntry(entry))).toBe(
      `Policy 'strict' version 3: an attestation '*' of type 'junit' is missing: ${sentence} (flow 'web', trail 'release-1')`,
    );
  });

  test('name the newest of several attestations', () => {
    const ids = [
      testId<AttestationId>('aaaaaaaa-bbbb-cccc-dddd-eeeeeee1'),
      testId<AttestationId>('aaaaaaaa-bbbb-cccc-dddd-eeeeeee2'),
    ] as const;
    const other = { grade: 'logged', signer: { name: 'other', version: 1 } } as const;
    const entries = [anEntry({ attestation_id: ids[0], proof: other }), anEntry({ attestation_id: ids[1] })];
    const found = (newest: string) => {
      const attestedAt = (id: string) => firstMicrosFrom(id === newest ? 2 : 1);
      const content = aPolicy({ attestations: [{ type: 'junit', signed_by: 'release' }] });
      return reasonsOf([judge(content, anArtifact({ contexts: [aContext({ entries, attestedAt })] }))]).join();
    };
    expect(found(ids[0])).toContain("found signer 'other' with grade logged");
    expect(found(ids[1])).toContain('found grade stated');
  });

  test('say nothing of signatures where nothing was reported', () => {
    expect(reasonFor({ signed_by: 'release' })).toContain("an attestation '*' of type 'junit' is missing (flow");
  });

  test('stand in decisions and dumps only where the policy has them', () => {
    const rule = { signed_by: 'release', grade: 'signed' };
    const shown = { signed_by: ['release'], grade: 'signed' };
    expect(evaluationOf(judgeEntries(rule), 'attestation').rule.definition).toMatchObject(shown);
    const { attestations } = policyDump(
      aPolicy({ attestations: [{ type: 'junit', ...rule }, { type: 'snyk' }] }),
    ).artifacts;
    expect(attestations[0]).toMatchObject(shown);
    expect(Object.keys(attestations[1] ?? {})).not.toEqual(expect.arrayContaining(['signed_by']));
    expect(attestations[1]).not.toHaveProperty('grade');
  });

  test('are stored behind the letters of the outcomes, which earlier releases read', () => {
    expect(
      outcomeText([
        { type: 'rule_satisfied' },
        { type: 'missing_attestation', found: { grade: 'logged', signer: 'other' } },
        { type: 'missing_attestation', found: { grade: 'stated' } },
      ]),
    ).toBe('smm 1~logged~other 2~stated');
  });

  test.each([
    [{ signed_by: [] }, 'artifacts.attestations[0].signed_by'],
    [{ signed_by: ['release', 'a b'] }, 'artifacts.attestations[0].signed_by[1]'],
    [{ signed_by: 7 }, 'artifacts.attestations[0].signed_by'],
    [{ grade: 'trusted' }, 'artifacts.attestations[0].grade'],
    [{ if: 'statement.builder.id == "x"' }, 'artifacts.attestations[0].if'],
    [{ type: 'decision', for_control: 'C', signed_by: 'release' }, 'artifacts.attestations[0].signed_by'],
    [{ type: 'decision', for_control: 'C', grade: 'signed' }, 'artifacts.attestations[0].grade'],
  ])('that cannot be are refused at their place: %j', (rule, place) => {
    const document = { _schema: SCHEMA_URL, artifacts: { attestations: [{ type: 'junit', ...rule }] } };
    expect(Object.keys(refusals(JSON.stringify(document)))).toEqual([place]);
  });
});

describe('statements in conditions', () => {
  const statement = {
    predicate_type: 'https://slsa.dev/provenance/v1',
    builder: { id: 'https://builder.example/v1' },
    source: { ref: 'refs/heads/main', uri: 'https://code.example/acme/web', commit: 'c0ffee' },
  };
  const entry = anEntry({ proof: { ...signed, statement } });

  test.each([
    ['statement.builder.id == "https://builder.example/v1"', true],
    ['statement.predicate_type == "https://slsa.dev/provenance/v1"', true],
    ['matches(statement.source.ref, "^refs/heads/main$")', true],
    ['statement.source.uri == "https://code.example/acme/web" and statement.source.commit == "c0ffee"', true],
    ['exists(statement)', true],
    ['statement.source.ref == "refs/heads/other"', false],
    ['statement == "x"', false],
  ])('%s', (condition, satisfied) => {
    const decision = judgeEntries({ reported_by: condition }, entry);
    expect(evaluationOf(decision, 'attestation').satisfied).toBe(satisfied);
  });

  test('are not satisfied by evidence without a verified statement', () => {
    for (const condition of ['exists(statement)', 'statement.builder.id == "https://builder.example/v1"']) {
      expect(resolutionTypes(judgeEntries({ reported_by: condition }, anEntry()), 'attestation')).toEqual([
        'missing_attestation',
      ]);
    }
  });

  test('cannot be read by the provenance rule, nor under other names', () => {
    const place = (artifacts: object) => Object.keys(refusals(JSON.stringify({ _schema: SCHEMA_URL, artifacts })));
    expect(place({ provenance: { reported_by: 'exists(statement)' } })).toEqual(['artifacts.provenance.reported_by']);
    const rule = { type: 'junit', reported_by: 'statement.builder == "x"' };
    expect(place({ attestations: [rule] })).toEqual(['artifacts.attestations[0].reported_by']);
  });
});
