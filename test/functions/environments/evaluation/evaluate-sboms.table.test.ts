import { describe, expect, it } from 'vitest';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { type EnvironmentsOfOrganization, environmentGroups, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { npm, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';
import { relayOf, type TestRelay } from '#test/support/relay.ts';
import { judgedIn } from './judged.ts';

/** Verdicts by SBOMs (docs/rules/policies.md#sboms). */

const api = await testApi([...environmentGroups, assertsGroup, snapshotsGroup]);
const acmeUnder = judgedIn(api);

const DENIED = policyText('components: {deny: [{purl: "pkg:npm/lodash", versions: "vers:npm/<4.17.21"}]}');
const REQUIRED = policyText('sbom: {required: true}');
const WEB = { artifact_fingerprint: fingerprintOf('web') };
const RUNNING = onServer({ web: 'web' });

/** An organization with an artifact that runs under a policy, and its relay, which has nothing left to do. */
async function running(policy: string): Promise<{ acme: EnvironmentsOfOrganization; relay: TestRelay }> {
  const acme = await acmeUnder(policy);
  const relay = relayOf(api.services, acme.id);
  await acme.report(anArtifact('web'));
  expect((await acme.run('prod', RUNNING)).status).toBe(201);
  await relay.settle();
  await acme.run('prod', RUNNING);
  return { acme, relay };
}

interface Verdict {
  compliant: boolean;
  policy_evaluations: { rule_evaluations: { resolutions: { type: string; context: object }[] }[] }[];
}
const asserted = async (acme: EnvironmentsOfOrganization, query = 'environment_name=prod') => {
  const { status, json } = await acme.get(`/asserts/${acme.org}/fingerprint/${fingerprintOf('web')}`, query);
  expect(status).toBe(200);
  const { compliant, policy_evaluations: policies } = json as Verdict;
  const last = policies[0]?.rule_evaluations.at(-1)?.resolutions[0];
  return { compliant, type: last?.type, context: last?.context };
};

/** Reports what runs, and returns the newest snapshot. */
async function snapshot(acme: EnvironmentsOfOrganization) {
  await acme.run('prod', RUNNING);
  const { json } = await acme.get(`/snapshots/${acme.org}/prod/-1`);
  const { compliant, index, artifacts } = json as {
    compliant: boolean;
    index: number;
    artifacts: { reasons_for_incompliance: string[] }[];
  };
  return { compliant, index, reasons: artifacts.flatMap((one) => one.reasons_for_incompliance) };
}

describe('what runs under a policy with denied components', () => {
  it('gets its verdict from the SBOM as soon as it is read, and another one from the next', async () => {
    const { acme, relay } = await running(DENIED);
    expect(await snapshot(acme)).toMatchObject({ compliant: false, index: 1 });
    await reportSbom(acme, sbomOf(npm('lodash', '4.17.20'), npm('other', '1.0.0')), { fields: WEB });
    // The worker has not read it: that counts as not known, and not as compliant.
    expect(await asserted(acme)).toMatchObject({
      compliant: false,
      type: 'unknown_components',
      context: { found_in_sbom: { why: 'pending', sbom: 'sbom' } },
    });
    await acme.raiseMark('prod');
    expect(await snapshot(acme)).toMatchObject({
      compliant: false,
      index: 2,
      reasons: [expect.stringContaining("(vers:npm/<4.17.21): SBOM 'sbom' is not read yet")],
    });
    await relay.settle();
    expect(await asserted(acme)).toMatchObject({
      compliant: false,
      type: 'denied_component',
      context: { found_in_sbom: { why: 'denied', sbom: 'sbom', version: '4.17.20', more: 0 } },
    });
    expect(await snapshot(acme)).toEqual({
      compliant: false,
      index: 3,
      reasons: [
        "Policy 'p' version 1: SBOM 'sbom' lists pkg:npm/lodash 4.17.20, which is denied (flow 'web', trail 'run')",
      ],
    });
    await reportSbom(acme, sbomOf(npm('lodash', '4.17.21')), { fields: WEB });
    // Until the worker has read it, the one before counts.
    expect(await asserted(acme)).toMatchObject({ compliant: false, type: 'denied_component' });
    await relay.settle();
    expect(await snapshot(acme)).toEqual({ compliant: true, index: 4, reasons: [] });
    expect(await asserted(acme)).toMatchObject({ compliant: true, type: 'rule_satisfied' });
    expect(await asserted(acme, 'policy_name=p')).toMatchObject({ compliant: true });
    // Snapshots keep what was decided.
    expect((await acme.get(`/snapshots/${acme.org}/prod/3`)).json).toMatchObject({ compliant: false });
    // A new one that is not read yet makes the compliant artifact unknown, until it is read.
    await reportSbom(acme, sbomOf(npm('other', '1.0.0')), { fields: WEB });
    expect(await asserted(acme)).toMatchObject({ compliant: false, type: 'unknown_components' });
    await relay.settle();
    expect(await asserted(acme)).toMatchObject({ compliant: true });
  });

  it('explains its verdict down to the SBOM', async () => {
    const { acme, relay } = await running(DENIED);
    const id = await reportSbom(acme, sbomOf(npm('lodash', '1.0.0')), { fields: WEB });
    await relay.settle();
    const path = `/asserts/${acme.org}/fingerprint/${fingerprintOf('web')}`;
    const { json } = await acme.get(path, 'environment_name=prod&reasons=chain');
    const { reasons } = json as { reasons: { step: string; says: string; html_url: string }[] };
    expect(reasons.map(({ step, says }) => `${step}: ${says}`)).toEqual(
      expect.arrayContaining([
        "policy: p v1 denies pkg:npm/lodash (vers:npm/<4.17.21): SBOM 'sbom' lists pkg:npm/lodash 1.0.0",
        'trail: `sbom` of run of web lists pkg:npm/lodash 1.0.0, which p v1 denies',
      ]),
    );
    expect(reasons.at(-1)?.html_url).toContain(id);
    const everywhere = await acme.get(`${path}/environments`);
    expect(everywhere.json).toMatchObject({
      environments: [{ environment: 'prod', compliant: false, reasons: [expect.stringContaining('lodash 1.0.0')] }],
    });
  });

  it('is tried under a policy that is not stored, and refused with each problem of a policy', async () => {
    const { acme, relay } = await running(REQUIRED);
    await reportSbom(acme, sbomOf(npm('lodash', '1.0.0')), { fields: WEB });
    await relay.settle();
    const dryRun = (text: string) => {
      const fields = { payload: JSON.stringify({ name: 'draft', environment: 'prod' }) };
      return acme.call('POST', `/policies/${acme.org}/dry-run`, { form: { fields, files: { policy_file: text } } });
    };
    expect((await dryRun(DENIED)).json).toMatchObject({
      running: 1,
      compliant: 0,
      artifacts: [{ compliant_now: true, compliant: false, reasons: [expect.stringContaining('lodash 1.0.0')] }],
    });
    const wrong = policyText('components: {deny: [{purl: lodash}, {purl: "pkg:npm/a", versions: "vers:pypi/<2"}]}');
    const { status, json } = await dryRun(wrong);
    expect([status, Object.keys((json as { errors: object }).errors).toSorted()]).toEqual([
      400,
      ['artifacts.components.deny[0].purl', 'artifacts.components.deny[1].versions'],
    ]);
    expect((await acme.putPolicy('p', wrong)).status).toBe(400);
  });
});

describe('what runs under a policy that asks for an SBOM', () => {
  it('is compliant with an SBOM that can be read, and not after it was erased', async () => {
    const { acme, relay } = await running(REQUIRED);
    expect((await snapshot(acme)).reasons).toEqual([
      "Policy 'p' version 1: an SBOM is missing (flow 'web', trail 'run')",
    ]);
    await reportSbom(acme, 'no JSON', { name: 'garbled', fields: WEB });
    await relay.settle();
    expect((await snapshot(acme)).reasons).toEqual([expect.stringContaining("SBOM 'garbled' cannot be read")]);
    const id = await reportSbom(acme, sbomOf(npm('a', '1.0.0')), { name: 'garbled', fields: WEB });
    await relay.settle();
    expect(await snapshot(acme)).toMatchObject({ compliant: true });
    const erase = { command: 'erase-body', organization: acme.org, kind: 'attestation', id, reason: 'a secret' };
    expect(await runOperator(api.services, erase)).toMatchObject({ ok: true });
    // The stream brings the erased attestation to the worker, which raises the mark.
    await relay.settle();
    // The one before counts again, and it cannot be read.
    expect((await snapshot(acme)).reasons).toEqual([expect.stringContaining("SBOM 'garbled' cannot be read")]);
  });

  it('needs the grade that the policy asks for', async () => {
    const { acme, relay } = await running(policyText('sbom: {required: true, grade: signed}'));
    await reportSbom(acme, sbomOf(npm('a', '1.0.0')), { fields: WEB });
    await relay.settle();
    expect((await snapshot(acme)).reasons).toEqual([
      expect.stringContaining('an SBOM is missing: grade needs signed, found grade stated'),
    ]);
  });

  it('costs a call of AWS services more for an assert, and one more if it denies packages', async () => {
    const { acme, relay } = await running(policyText('provenance: {required: true}'));
    await reportSbom(acme, sbomOf(npm('lodash', '4.17.21')), { fields: WEB });
    await relay.settle();
    const callsUnder = async (text: string) => {
      await acme.putPolicy('p', text);
      // The first assert reads the text of the policy.
      for (const _ of [1, 2]) await asserted(acme);
      const line = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>; // a log line
      return line['aws_calls'] ?? 0;
    };
    const plain = await callsUnder(policyText('provenance: {required: true}'));
    expect((await callsUnder(REQUIRED)) - plain).toBe(1);
    expect((await callsUnder(DENIED)) - plain).toBe(2);
  });
});
