import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  anArtifact,
  evidenceApi,
  fingerprintOf,
  ID,
  invalidFields,
  isTime,
  newOrganization,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');

interface Assertion {
  compliant: boolean;
  scope: string;
  flows: { flow: string; trail: string; compliant: boolean }[];
}

describe('GET /asserts/{org}/fingerprint/{fingerprint}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/asserts/${org}/fingerprint/${CLI}`, needs: 'reader' });

  const setup = async () => {
    const acme = await newOrganization(api);
    const assert = async (query = '', text: string = CLI) =>
      (await acme.get(`/asserts/${acme.org}/fingerprint/${text}`, query)).json as Assertion;
    return { acme, assert };
  };

  it('shows every field', async () => {
    const { acme, assert } = await setup();
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', { attestation_name: 'foo', artifact_fingerprint: CLI });
    const url = `https://api.example/${acme.org}/flows/web/artifacts/${CLI}`;
    const entry = {
      attestation_name: 'foo',
      attestation_type: 'generic',
      attestation_id: expect.stringMatching(ID),
      overridden_attestation_id: null,
      status: 'COMPLETE',
      is_compliant: true,
      unexpected: true,
    };
    expect(await assert()).toEqual({
      scope: 'flow',
      compliant: true,
      state: true,
      state_reason: null,
      fresh_until: null,
      policy_evaluations: [],
      html_url: url,
      flows: [
        {
          flow: 'web',
          trail: 'run',
          compliant: true,
          html_url: url,
          compliance_status: {
            artifact_fingerprint: CLI,
            artifact_id: expect.stringMatching(ID),
            status: 'COMPLIANT',
            is_compliant: true,
            unexpected: true,
            attestations_statuses: [entry],
            evaluated_at: expect.toSatisfy(isTime),
            flow_template_id: expect.stringMatching(ID),
          },
        },
      ],
    });
  });

  it('answers compliant only if the artifact is compliant in every flow, or in the requested flow', async () => {
    const { acme, assert } = await setup();
    await acme.report(anArtifact('cli'), { flow: 'good' });
    await acme.report(anArtifact('cli'), { flow: 'bad' });
    await acme.report(anArtifact('cli', { trail_name: undefined }), { flow: 'legacy' });
    await acme.attest(
      'generic',
      { attestation_name: 'x', artifact_fingerprint: CLI, is_compliant: false },
      { flow: 'bad' },
    );
    const all = await assert();
    expect(all).toMatchObject({ compliant: false, scope: 'flow' });
    expect(all.flows.map(({ flow, compliant }) => [flow, compliant])).toEqual([
      ['good', true],
      ['bad', false],
      ['legacy', true],
    ]);
    expect(await assert('flow_name=good')).toMatchObject({ compliant: true, flows: [{ flow: 'good' }] });
    expect(await assert('flow_name=bad')).toMatchObject({ compliant: false, flows: [{ flow: 'bad' }] });
  });

  it('judges by the latest trail of each flow', async () => {
    const { acme, assert } = await setup();
    await acme.report(anArtifact('cli'), { trail: 'first' });
    await acme.attest('generic', { attestation_name: 'x', is_compliant: false }, { trail: 'first' });
    expect(await assert()).toMatchObject({ compliant: false, flows: [{ trail: 'first' }] });
    await acme.report(anArtifact('cli'), { trail: 'second' });
    expect(await assert()).toMatchObject({ compliant: true, flows: [{ trail: 'second' }] });
  });

  it('counts missing attestations of the trail, although the entry of the artifact is compliant', async () => {
    const { acme, assert } = await setup();
    await acme.begin({}, { template: 'trail:\n  attestations:\n    - {name: review, type: generic}' });
    await acme.report(anArtifact('cli'));
    expect(await assert()).toMatchObject({
      compliant: false,
      flows: [{ compliant: false, compliance_status: { status: 'COMPLIANT' } }],
    });
    await acme.attest('generic', { attestation_name: 'review' });
    expect((await assert()).compliant).toBe(true);
  });

  it('keeps the verdict of a fingerprint after another fingerprint is reported under its name', async () => {
    const { acme, assert } = await setup();
    await acme.report(anArtifact('cli', { is_compliant: false }));
    await acme.report(anArtifact('cli', { fingerprint: fingerprintOf('other') }));
    expect((await assert()).compliant).toBe(false);
    expect((await assert('', fingerprintOf('other'))).compliant).toBe(true);
  });

  it('accepts a prefix that matches one artifact', async () => {
    const { acme, assert } = await setup();
    await acme.report(anArtifact('a', { fingerprint: `abcde${'0'.repeat(59)}` }));
    expect((await assert('', 'abcde')).compliant).toBe(true);
    await acme.report(anArtifact('b', { fingerprint: `abcde${'1'.repeat(59)}` }));
    expect(refusal(await acme.get(`/asserts/${acme.org}/fingerprint/abcde`))).toEqual(
      invalidFields({ fingerprint: 'Several artifacts begin with it [input: abcde]' }),
    );
  });

  it('names the unknown flow or artifact', async () => {
    const { acme } = await setup();
    await acme.begin({});
    const ask = async (query = '', text: string = CLI) =>
      refusal(await acme.get(`/asserts/${acme.org}/fingerprint/${text}`, query));
    for (const text of [CLI, 'abcd', 'a#b', 'f'.repeat(5000)]) {
      expect(await ask('', text)).toEqual([
        404,
        { message: `Artifact with fingerprint '${text}' does not exist in organization '${acme.org}'` },
      ]);
    }
    expect(await ask('flow_name=web')).toEqual([
      404,
      {
        message: `Artifact with fingerprint '${CLI}' does not exist in flow 'web' belonging to organization '${acme.org}'`,
      },
    ]);
    expect(await ask('flow_name=x')).toEqual([
      404,
      { message: `Flow named 'x' does not exist for organization '${acme.org}'` },
    ]);
    expect(await ask('environment_name=e&policy_name=p')).toEqual([
      400,
      { message: "Cannot specify both 'environment_name' and 'policy_name' at the same time" },
    ]);
    expect(await ask('environment_name=e')).toEqual([
      404,
      { message: `Environment named 'e' does not exist for organization '${acme.org}'` },
    ]);
    expect(await ask('policy_name=p')).toEqual([
      404,
      { message: `Policy 'p' does not exist in organization '${acme.org}'` },
    ]);
  });
});
