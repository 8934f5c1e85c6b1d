import { describe, expect, it } from 'vitest';
import { decisionsOf, type SnapshotRow } from '#shared/environments/rules/content.ts';
import { type EnvironmentsOfOrganization, environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, OK, refusal } from '#test/support/evidence.ts';
import { policyText, STRICT } from '#test/support/policies.ts';
import { judgedIn, runAgain } from './judged.ts';

/** Evaluation of what runs, from reported evidence to stored rows (rules/environments.md#verdicts, rules/policies.md#evaluation). */

const acmeUnder = judgedIn(await environmentsApi());

const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - {name: review, type: generic}\n';

/** Types of the resolutions of each rule, with whether the rule is satisfied. */
const resolutions = (row: SnapshotRow) =>
  decisionsOf(row).flatMap(({ rule_evaluations }) =>
    rule_evaluations.map(({ rule, satisfied, ignored, resolutions: all }) => [
      rule.type,
      satisfied,
      ignored,
      ...all.map(({ type }) => type),
    ]),
  );

const state = async (acme: EnvironmentsOfOrganization) => {
  const snapshot = (await acme.snapshots('prod')).at(-1);
  return [snapshot?.state, snapshot?.compliant, (await acme.head('prod')).state];
};

describe('an environment without policies', () => {
  it('all artifacts are unknown, and the snapshot is not compliant', async () => {
    const acme = await acmeUnder();
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));
    expect(await acme.row('prod', 'web')).toMatchObject({ compliant: null, evaluations: [], allowed: false });
    expect(await state(acme)).toEqual([null, false, null]);
  });

  it('a row names its flow, trail, slot and report', async () => {
    const acme = await acmeUnder();
    await acme.report(anArtifact('web', { template_reference_name: 'slot' }));
    await acme.run('prod', onServer({ web: 'web' }));
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('web')}`);
    const { flows } = await acme.row('prod', 'web');
    expect(flows).toMatchObject([
      {
        name: 'web',
        trailName: 'run',
        slot: 'slot',
        status: 'COMPLIANT',
        compliant: true,
        reasons: [],
        report: (json as { artifact_id: string }).artifact_id,
        commit: (json as { git_commit: string }).git_commit,
      },
    ]);
  });
});

describe('provenance and trail compliance', () => {
  it('are satisfied by an artifact in a flow with an empty template', async () => {
    const acme = await acmeUnder(STRICT);
    await acme.report(anArtifact('web', { trail_name: undefined }));
    await acme.run('prod', onServer({ web: 'web' }));
    const row = await acme.row('prod', 'web');
    expect(row.compliant).toBe(true);
    expect(resolutions(row)).toEqual([
      ['provenance', true, false, 'rule_satisfied'],
      ['trail-compliance', true, false, 'rule_satisfied'],
    ]);
    expect(await state(acme)).toEqual([true, true, true]);
    expect((await acme.content('prod')).policies).toMatchObject([{ name: 'p', version: 1 }]);
  });

  it('fail an artifact without provenance, and one that is not compliant in its trail', async () => {
    const acme = await acmeUnder(STRICT);
    await acme.putFlow('web', TEMPLATE);
    await acme.run('prod', onServer({ web: 'web' }));
    const unknown = await acme.row('prod', 'web');
    expect(resolutions(unknown)).toEqual([
      ['provenance', false, false, 'missing_provenance'],
      ['trail-compliance', false, false, 'non_compliant_in_trail'],
    ]);
    expect(await state(acme)).toEqual([false, false, false]);

    await acme.report(anArtifact('web'));
    const incomplete = await runAgain(acme);
    expect(incomplete.annotation.type).toBe('updated-provenance');
    expect(incomplete.flows).toMatchObject([
      { status: 'INCOMPLETE', compliant: false, reasons: ["Attestation 'review' of type 'generic' is missing"] },
    ]);
    expect(resolutions(incomplete)).toEqual([
      ['provenance', true, false, 'rule_satisfied'],
      ['trail-compliance', false, false, 'non_compliant_in_trail'],
    ]);

    await acme.attest('generic', { attestation_name: 'review', is_compliant: false });
    const failing = await runAgain(acme);
    expect(failing.annotation.type).toBe('changed');
    expect(failing.flows[0]?.reasons).toEqual(["Attestation 'review' of type 'generic' is non-compliant"]);

    await acme.attest('generic', { attestation_name: 'review', is_compliant: true });
    expect(await runAgain(acme)).toMatchObject({ compliant: true, annotation: { type: 'changed' } });
    expect(await state(acme)).toEqual([true, true, true]);
  });

  it('give the reason if the report itself says that the artifact is not compliant', async () => {
    const acme = await acmeUnder(STRICT);
    await acme.report(anArtifact('web', { is_compliant: false }));
    await acme.run('prod', onServer({ web: 'web' }));
    const { compliant, flows } = await acme.row('prod', 'web');
    expect([compliant, flows[0]?.reasons]).toEqual([false, ['The artifact was reported as non-compliant']]);
  });

  it('are both listed if neither is required', async () => {
    const acme = await acmeUnder(policyText());
    await acme.run('prod', onServer({ web: 'web' }));
    const row = await acme.row('prod', 'web');
    expect([row.compliant, resolutions(row)]).toEqual([
      true,
      [
        ['provenance', null, true, 'rule_not_applicable'],
        ['trail-compliance', null, true, 'rule_not_applicable'],
      ],
    ]);
  });

  it('are waived by exceptions on the name of an artifact without a flow, and without a fingerprint', async () => {
    const acme = await acmeUnder(
      policyText('provenance:', '  required: true', `  exceptions: [{if: '\${{ matches(artifact.name, "^sys") }}'}]`),
    );
    const artifacts = [{ digests: { 'sys-a': fingerprintOf('a'), 'sys-b': '', other: '' }, creationTimestamp: 1 }];
    await acme.run('prod', { artifacts });
    const { rows } = await acme.content('prod');
    expect(Object.fromEntries(rows.map(({ name, compliant }) => [name, compliant]))).toEqual({
      'sys-a': true,
      'sys-b': true,
      other: false,
    });
  });
});

describe('an artifact in several flows', () => {
  it('has one context per flow, in the order of the first reports, and every context must satisfy', async () => {
    const acme = await acmeUnder(STRICT);
    await acme.putFlow('strict', TEMPLATE);
    await acme.report(anArtifact('web'), { flow: 'first' });
    await acme.report(anArtifact('web'), { flow: 'strict' });
    // Another report in the first flow makes its latest trail another, and leaves the order.
    await acme.report(anArtifact('web'), { flow: 'first', trail: 'later' });
    await acme.run('prod', onServer({ web: 'web' }));
    const row = await acme.row('prod', 'web');
    expect(row.flows.map(({ name, trailName }) => [name, trailName])).toEqual([
      ['first', 'later'],
      ['strict', 'run'],
    ]);
    expect([row.compliant, resolutions(row)]).toEqual([
      false,
      [
        ['provenance', true, false, 'rule_satisfied', 'rule_satisfied'],
        ['trail-compliance', false, false, 'rule_satisfied', 'non_compliant_in_trail'],
      ],
    ]);
    const [, compliance] = decisionsOf(row)[0]?.rule_evaluations ?? [];
    expect(compliance?.resolutions.map(({ context }) => context)).toEqual([
      { flow_name: 'first', trail_name: 'later', artifact_status: 'COMPLIANT' },
      { flow_name: 'strict', trail_name: 'run', artifact_status: 'INCOMPLETE' },
    ]);
  });

  it('may be narrowed by name', async () => {
    const acme = await acmeUnder(
      policyText('trail-compliance:', '  required: true', `  exceptions: [{if: 'flow.name == "strict"'}]`),
    );
    await acme.putFlow('strict', TEMPLATE);
    await acme.report(anArtifact('web'), { flow: 'strict' });
    await acme.report(anArtifact('web'), { flow: 'other' });
    await acme.run('prod', onServer({ web: 'web' }));
    const row = await acme.row('prod', 'web');
    expect(resolutions(row).at(-1)).toEqual([
      ...['trail-compliance', true, false, 'rule_not_applicable', 'rule_satisfied'],
    ]);
  });

  it('gets other provenance with a new latest trail', async () => {
    const acme = await acmeUnder();
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));
    await acme.report(anArtifact('web'), { trail: 'again' });
    expect((await runAgain(acme)).annotation.type).toBe('updated-provenance');
  });
});

describe('attestation rules', () => {
  const RULE = policyText('attestations:', '  - {type: junit, name: tests}');
  const junit = (failures: number) => ({
    attestation_name: 'tests',
    artifact_fingerprint: fingerprintOf('web'),
    junit_results: [{ name: 's', tests: 3, failures, errors: 0, skipped: 0, duration: 1, timestamp: 1_776_000_000 }],
  });

  it('follow the latest attestation of the artifact', async () => {
    const acme = await acmeUnder(RULE);
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));
    const last = (row: SnapshotRow) => resolutions(row).at(-1);
    expect(last(await acme.row('prod', 'web'))).toEqual(['attestation', false, false, 'missing_attestation']);
    expect(refusal(await acme.attest('junit', junit(1)))).toEqual(OK);
    expect(last(await runAgain(acme))).toEqual(['attestation', false, false, 'non_compliant_attestation']);
    expect(refusal(await acme.attest('junit', junit(0)))).toEqual(OK);
    expect(last(await runAgain(acme))).toEqual(['attestation', true, false, 'rule_satisfied']);
  });

  it('count attestations of the artifact under another name in the trail, and attestations of the trail', async () => {
    const acme = await acmeUnder(
      policyText('attestations:', '  - {type: generic, name: scan}', '  - {type: generic, name: review}'),
    );
    for (const template_reference_name of ['one', 'two'])
      await acme.report(anArtifact('web', { template_reference_name }));
    const named = {
      attestation_name: 'scan',
      target_artifacts: ['one'],
      git_commit_info: anArtifact('web').git_commit_info,
    };
    expect(refusal(await acme.attest('generic', named))).toEqual(OK);
    await acme.attest('generic', { attestation_name: 'review' });
    await acme.run('prod', onServer({ web: 'web' }));
    const row = await acme.row('prod', 'web');
    expect([row.flows[0]?.slot, resolutions(row).slice(2)]).toEqual([
      'two',
      [
        ['attestation', true, false, 'rule_satisfied'],
        ['attestation', true, false, 'rule_satisfied'],
      ],
    ]);
  });
});
