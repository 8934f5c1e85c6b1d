import { describe, expect, it } from 'vitest';
import { anArtifact, fingerprintOf, invalidFields, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const CLI = fingerprintOf('cli');
const TESTED = policyText('attestations: [{type: junit, name: unit}]');
const DECIDED = policyText('attestations: [{type: decision, for_control: C-1}]');

interface Assertion {
  scope: string;
  compliant: boolean;
  environment?: string;
  policy_evaluations: {
    policy_name: string;
    policy_version: number;
    status: string;
    rule_evaluations: {
      satisfied: boolean | null;
      resolutions: { type: string; context: Record<string, unknown> }[];
    }[];
  }[];
  flows: { flow: string; compliant: boolean }[];
  html_url: string;
}

const setup = async () => {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod');
  await acme.report(anArtifact('cli'));
  const ask = (query: string, fingerprint: string = CLI) =>
    acme.get(`/asserts/${acme.org}/fingerprint/${fingerprint}`, query);
  const assert = async (query: string, fingerprint?: string) => {
    const { status, json } = await ask(query, fingerprint);
    if (status !== 200) throw new Error(`${query}: ${status} ${JSON.stringify(json)}`);
    return json as Assertion;
  };
  /** Reports a `junit` attestation. It fails if there are errors. */
  const test = (errors: number) =>
    acme.attest('junit', {
      attestation_name: 'unit',
      artifact_fingerprint: CLI,
      junit_results: [{ name: 's', errors, failures: 0, skipped: 0, total: 1, duration: 1, timestamp: 1 }],
    });
  const decide = (compliant: boolean) =>
    acme.attest('system', {
      attestation_name: 'd',
      type_name: 'decision',
      control: 'C-1',
      artifact_fingerprint: CLI,
      attestation_data: { is_compliant: compliant },
    });
  return { acme, ask, assert, test, decide };
};
const words = ({ policy_evaluations: evaluations }: Assertion) =>
  evaluations.map(({ policy_name: name, policy_version: version, status }) => `${name} ${version} ${status}`);
const resolutions = ({ policy_evaluations: [evaluation] }: Assertion) =>
  evaluation?.rule_evaluations.at(-1)?.resolutions;

describe('an assert by the policies of an environment', () => {
  it('is decided by the flows if the environment has no policies', async () => {
    const { acme, assert } = await setup();
    expect(await assert('environment_name=prod')).toMatchObject({
      scope: 'environment',
      environment: 'prod',
      compliant: true,
      policy_evaluations: [],
      flows: [{ flow: 'web', compliant: true }],
      html_url: `https://api.example/${acme.org}/flows/web/artifacts/${CLI}`,
    });
    await acme.attest('generic', { attestation_name: 'x', artifact_fingerprint: CLI, is_compliant: false });
    expect(await assert('environment_name=prod')).toMatchObject({ compliant: false, flows: [{ compliant: false }] });
  });

  it('uses the present policies, and ignores the evaluations of snapshots', async () => {
    const { acme, assert, test } = await setup();
    await acme.putPolicy('tested', TESTED);
    await acme.putPolicy('known', policyText('provenance: {required: true}'));
    await acme.attach('prod', 'tested', 'known');
    const missing = await assert('environment_name=prod');
    expect(missing).toMatchObject({ compliant: false, flows: [{ compliant: true }] });
    expect(words(missing).toSorted()).toEqual(['known 1 COMPLIANT', 'tested 1 NON-COMPLIANT']);
    await test(1);
    expect((await assert('environment_name=prod')).compliant).toBe(false);
    await test(0);
    expect((await assert('environment_name=prod')).compliant).toBe(true);
    await acme.putPolicy('known', policyText('attestations: [{type: snyk}]'));
    const changed = await assert('environment_name=prod');
    expect(words(changed).toSorted()).toEqual(['known 2 NON-COMPLIANT', 'tested 1 COMPLIANT']);
    await acme.detach('prod', 'known');
    expect((await assert('environment_name=prod')).compliant).toBe(true);
  });

  it('is compliant if the environment allows the artifact, even if it was never reported', async () => {
    const { acme, ask, assert } = await setup();
    await acme.putPolicy('tested', TESTED);
    await acme.attach('prod', 'tested');
    await acme.allow('prod', 'cli');
    const known = await assert('environment_name=prod');
    expect([known.compliant, words(known)]).toEqual([true, ['tested 1 NON-COMPLIANT']]);
    const vendor = fingerprintOf('vendor');
    expect((await ask('environment_name=prod', vendor)).status).toBe(404);
    await acme.allow('prod', 'vendor');
    expect(await assert('environment_name=prod', vendor)).toMatchObject({
      compliant: true,
      flows: [],
      html_url: `https://api.example/${acme.org}/environments/prod`,
    });
    // Only prod allows the artifact; elsewhere it is unknown.
    await acme.putEnvironment('staging');
    expect((await ask('environment_name=staging', vendor)).status).toBe(404);
    expect((await ask('', vendor)).status).toBe(404);
    expect((await ask('environment_name=prod&flow_name=web', vendor)).status).toBe(404);
  });

  it('judges by all flows, and shows the requested flow', async () => {
    const { acme, assert } = await setup();
    await acme.report(anArtifact('cli'), { flow: 'other', trail: 't' });
    await acme.putPolicy('trails', policyText('trail-compliance: {required: true}'));
    await acme.attach('prod', 'trails');
    await acme.attest(
      'generic',
      { attestation_name: 'x', artifact_fingerprint: CLI, is_compliant: false },
      { flow: 'other', trail: 't' },
    );
    const shown = await assert('environment_name=prod&flow_name=web');
    expect(shown).toMatchObject({ scope: 'environment', compliant: false, flows: [{ flow: 'web', compliant: true }] });
    expect(shown.policy_evaluations[0]?.rule_evaluations[1]?.resolutions).toMatchObject([
      { type: 'rule_satisfied', context: { flow_name: 'web' } },
      { type: 'non_compliant_in_trail', context: { flow_name: 'other', artifact_status: 'NON-COMPLIANT' } },
    ]);
  });

  it('gives policies the file name of the report, and finds the artifact by a prefix', async () => {
    const { acme, assert } = await setup();
    await acme.putPolicy(
      'named',
      policyText(
        'provenance: {required: true}',
        'attestations: [{type: snyk, if: \'matches(artifact.name, "^registry.example/other")\'}]',
      ),
    );
    await acme.attach('prod', 'named');
    expect((await assert('environment_name=prod', CLI.slice(0, 12))).compliant).toBe(true);
    await acme.report(anArtifact('other'));
    expect((await assert('environment_name=prod', fingerprintOf('other'))).compliant).toBe(false);
  });

  it('answers 404 for an unknown or archived environment', async () => {
    const { acme, ask } = await setup();
    expect(refusal(await ask('environment_name=nowhere'))).toEqual([
      404,
      { message: `Environment named 'nowhere' does not exist for organization '${acme.org}'` },
    ]);
    await acme.call('PUT', `/environments/${acme.org}/prod/archive`, { text: 'null' });
    expect(refusal(await ask('environment_name=prod'))).toEqual([
      404,
      { message: `Environment named 'prod' has been archived for organization '${acme.org}'` },
    ]);
  });

  it('takes three round trips if the names are cached', async () => {
    const { acme, assert, test } = await setup();
    await acme.putPolicy('tested', TESTED);
    await acme.attach('prod', 'tested');
    await test(0);
    const trips = async (query: string) => {
      await assert(query);
      await assert(query);
      return Number(api.entries.at(-1)?.['aws_sequential']);
    };
    expect(await trips('environment_name=prod')).toBeLessThanOrEqual(3);
    expect(await trips('policy_name=tested')).toBeLessThanOrEqual(3);
    expect(await trips('')).toBeLessThanOrEqual(3);
  });
});

describe('an assert by policies', () => {
  it('evaluates the named policies in their order', async () => {
    const { acme, assert, test } = await setup();
    await acme.putPolicy('b-tested', TESTED);
    await acme.putPolicy('a-known', policyText('provenance: {required: true}'));
    const query = 'policy_name=b-tested&policy_name=a-known';
    const before = await assert(query);
    expect(before).toMatchObject({ scope: 'policy', compliant: false, flows: [{ flow: 'web' }] });
    expect(before).not.toHaveProperty('environment');
    expect(words(before)).toEqual(['b-tested 1 NON-COMPLIANT', 'a-known 1 COMPLIANT']);
    await test(0);
    expect((await assert(query)).compliant).toBe(true);
    expect(words(await assert('policy_name=a-known'))).toEqual(['a-known 1 COMPLIANT']);
  });

  it('names the control whose decision is missing or failed', async () => {
    const { acme, assert, decide } = await setup();
    await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'C-1', name: 'Control' } });
    expect((await acme.putPolicy('decided', DECIDED)).status).toBe(201);
    const context = { flow_name: 'web', trail_name: 'run', artifact_status: null, for_control: 'C-1' };
    const missing = await assert('policy_name=decided');
    expect([missing.compliant, resolutions(missing)]).toEqual([false, [{ type: 'missing_attestation', context }]]);
    await decide(false);
    expect(resolutions(await assert('policy_name=decided'))).toEqual([{ type: 'non_compliant_attestation', context }]);
    await decide(true);
    expect((await assert('policy_name=decided')).compliant).toBe(true);
  });

  it('refuses unknown policies, too many policies, and policies together with an environment', async () => {
    const { acme, ask } = await setup();
    await acme.putPolicy('known', policyText('provenance: {required: true}'));
    const unknown = (name: string) => [
      404,
      { message: `Policy '${name}' does not exist in organization '${acme.org}'` },
    ];
    expect(refusal(await ask('policy_name=known&policy_name=nope&policy_name=nor'))).toEqual(unknown('nope'));
    expect(refusal(await ask('policy_name=a%23b'))).toEqual(unknown('a#b'));
    expect(refusal(await ask(Array.from({ length: 51 }, () => 'policy_name=known').join('&')))).toEqual(
      invalidFields({ 'query.policy_name': expect.stringMatching(/^List should have at most 50 items/) }),
    );
    expect((await ask('environment_name=prod&policy_name=known')).status).toBe(400);
    const other = await readingOrganization(api);
    expect(refusal(await other.get(`/asserts/${other.org}/fingerprint/${CLI}`, 'policy_name=known'))).toEqual([
      404,
      { message: `Policy 'known' does not exist in organization '${other.org}'` },
    ]);
  });
});
