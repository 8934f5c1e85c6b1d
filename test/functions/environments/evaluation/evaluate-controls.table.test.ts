import { describe, expect, it } from 'vitest';
import { decisionsOf, type SnapshotRow } from '#shared/environments/rules/content.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, OK, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { runAgain } from './judged.ts';

const api = await environmentsApi();

describe('rules for a control', () => {
  const RULE = policyText('attestations:', '  - {type: decision, for_control: SC-1}');
  const decision = (is_compliant: boolean, more: Record<string, unknown> = {}) => ({
    type_name: 'decision',
    control: 'SC-1',
    attestation_name: 'gate',
    attestation_data: { is_compliant },
    ...more,
  });
  /** The type of the first resolution of the rule. */
  const last = (row: SnapshotRow) => decisionsOf(row)[0]?.rule_evaluations.at(-1)?.resolutions[0]?.type;

  async function acmeControlled(text = RULE): Promise<EnvironmentsOfOrganization> {
    const acme = await environmentsOfOrganization(api);
    await acme.putEnvironment('prod');
    const control = { identifier: 'SC-1', name: 'Source control', description: '' };
    await acme.call('POST', `/controls/${acme.org}`, { json: control });
    const put = await acme.putPolicy('p', text);
    expect([put.status, put.json]).toEqual([201, 'OK']);
    await acme.attach('prod', 'p');
    return acme;
  }

  it('take the latest decision on the artifact, on any trail of the organization', async () => {
    const acme = await acmeControlled();
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));
    const row = await acme.row('prod', 'web');
    expect(last(row)).toBe('missing_attestation');
    const context = decisionsOf(row)[0]?.rule_evaluations.at(-1)?.resolutions[0]?.context;
    expect(context).toMatchObject({ for_control: 'SC-1', flow_name: 'web' });

    const place = { flow: 'release', trail: 'r1' };
    const about = { artifact_fingerprint: fingerprintOf('web') };
    expect(refusal(await acme.attest('system', decision(false, about), place))).toEqual(OK);
    expect(last(await runAgain(acme))).toBe('non_compliant_attestation');
    await acme.attest('system', decision(true, about), place);
    expect(last(await runAgain(acme))).toBe('rule_satisfied');
    // A decision on another control does not count.
    await acme.attest('system', decision(false, { ...about, control: 'SC-2' }), place);
    expect(last(await runAgain(acme))).toBe('rule_satisfied');
  });

  it('take decisions on trails that had the artifact, also on those before its latest, and no others', async () => {
    const acme = await acmeControlled();
    await acme.report(anArtifact('web'), { trail: 'first' });
    await acme.attest('system', decision(true), { trail: 'first' });
    await acme.report(anArtifact('web'), { trail: 'second' });
    await acme.report(anArtifact('other'), { trail: 'third' });
    await acme.attest('system', decision(false), { trail: 'third' });
    await acme.run('prod', onServer({ web: 'web' }));
    expect(last(await acme.row('prod', 'web'))).toBe('rule_satisfied');
    await acme.attest('system', decision(false), { trail: 'second' });
    expect(last(await runAgain(acme))).toBe('non_compliant_attestation');
    await acme.attest('system', decision(true), { trail: 'first' });
    expect(last(await runAgain(acme))).toBe('rule_satisfied');
  });

  it('count no decision that the control refuses, and say what was found instead', async () => {
    const acme = await acmeControlled();
    const about = { artifact_fingerprint: fingerprintOf('web') };
    await acme.report(anArtifact('web'));
    await acme.attest('system', decision(true, about), { flow: 'sandbox', trail: 'r1' });
    await acme.run('prod', onServer({ web: 'web' }));
    expect(last(await acme.row('prod', 'web'))).toBe('rule_satisfied');

    const require = (requires: unknown) => acme.call('PUT', `/controls/${acme.org}/SC-1`, { json: { requires } });
    expect((await require({ flows: ['web'] })).status).toBe(200);
    const row = await runAgain(acme);
    expect(last(row)).toBe('missing_attestation');
    expect(decisionsOf(row)[0]?.rule_evaluations.at(-1)?.resolutions[0]?.context).toMatchObject({
      found_grade: 'stated',
    });
    expect(reasonsOf(decisionsOf(row)).join()).toContain(
      "a decision for control 'SC-1' is missing: the newest does not count for the control, found grade stated",
    );

    // An older decision that counts answers, whatever was decided elsewhere since.
    await acme.attest('system', decision(false, about));
    await acme.attest('system', decision(true, about), { flow: 'sandbox', trail: 'r1' });
    expect(last(await runAgain(acme))).toBe('non_compliant_attestation');
    await acme.attest('system', decision(true, about));
    expect(last(await runAgain(acme))).toBe('rule_satisfied');

    await require({ grade: 'identified' });
    expect(last(await runAgain(acme))).toBe('missing_attestation');
    await require({ signed_by: ['release'] });
    expect(last(await runAgain(acme))).toBe('missing_attestation');
    await require({});
    expect(last(await runAgain(acme))).toBe('rule_satisfied');
  });

  it('compare the name in the rule', async () => {
    const acme = await acmeControlled(
      policyText('attestations:', '  - {type: decision, name: board, for_control: SC-1}'),
    );
    await acme.report(anArtifact('web'));
    const about = { artifact_fingerprint: fingerprintOf('web') };
    await acme.attest('system', decision(true, { ...about, attestation_name: 'board' }));
    await acme.attest('system', decision(false, about));
    await acme.run('prod', onServer({ web: 'web' }));
    expect(last(await acme.row('prod', 'web'))).toBe('rule_satisfied');
  });
});
