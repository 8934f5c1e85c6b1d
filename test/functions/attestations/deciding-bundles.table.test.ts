import { describe, expect, it } from 'vitest';
import { newKey, OwnRoot } from '#test/shared/signatures/own-root.ts';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import { envelope, SHA256, statement } from '#test/shared/signatures/sample-bundles.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { bundlesApi, errorsOf, key, madeOf, signingOrganization, text } from './bundles-api.ts';

/** Bundles that decide about a control (rules/controls.md#signed-decisions). */

const api = await bundlesApi();
const acme = await signingOrganization(api);
const { org } = acme;
await acme.call('POST', `/controls/${org}`, { json: { identifier: 'C-1', name: 'Release' } });
await acme.putEnvironment('prod');
await acme.putPolicy('released', policyText('attestations: [{type: decision, for_control: C-1}]'));
await acme.attach('prod', 'released');

const summary = (verificationResult: string) => ({
  payload: JSON.stringify(
    statement({
      predicateType: 'https://slsa.dev/verification_summary/v1',
      predicate: {
        verifier: { id: 'https://verifier.example' },
        timeVerified: '2026-11-01T00:00:00Z',
        resourceUri: 'pkg:generic/web',
        policy: { uri: 'https://policy.example' },
        verificationResult,
      },
    }),
  ),
});
const decision = { attestation_name: 'gate', control: 'C-1' };
const answered = async () => {
  const { json } = await acme.get(`/asserts/${org}/fingerprint/${SHA256}`, 'environment_name=prod&reasons=chain');
  const { compliant } = json as { compliant: boolean };
  return { compliant, text: JSON.stringify(json) };
};
const require = (requires: unknown) => acme.call('PUT', `/controls/${org}/C-1`, { json: { requires } });

describe('a bundle with a control', () => {
  it('is a decision about it, by the verdict of a verification summary', async () => {
    expect((await answered()).compliant).toBe(false);
    const [made] = madeOf(await acme.send(text(summary('PASSED')), decision));
    expect((await answered()).compliant).toBe(true);
    const [record] = await acme.named('gate');
    expect(record).toMatchObject({
      attestation_id: made?.attestation_id,
      attestation_type: 'vsa',
      ...{ control: 'C-1', control_version: 1, is_compliant: true },
    });
    madeOf(await acme.send(text(summary('FAILED')), decision));
    expect((await answered()).compliant).toBe(false);
    expect((await acme.named('gate')).at(0)).toMatchObject({ is_compliant: false });
  });

  it('counts only if its signer is one that the control asks for, and not once it is recalled', async () => {
    await require({ signed_by: ['ci'], grade: 'logged' });
    madeOf(await acme.send(JSON.stringify(envelope(key, summary('PASSED'))), decision));
    // The latest is of another signer, so the refusal before it answers.
    expect((await answered()).compliant).toBe(false);
    madeOf(await acme.send(text(summary('PASSED')), decision));
    expect((await answered()).compliant).toBe(true);

    await require({});
    const recall = `/recalls/${org}/leak`;
    await acme.call('PUT', recall, { json: { reason: 'the key leaked', signer: 'ci' } });
    // The envelope with the key still counts.
    expect((await answered()).compliant).toBe(true);
    await require({ signed_by: ['ci'] });
    const { compliant, text: said } = await answered();
    expect(compliant).toBe(false);
    expect(said).toContain('asks for a decision on C-1, and that of run was recalled by `leak`');
    expect(said).toContain('"recalled_by":["leak"]');
    expect(said).toContain('is met, in `gate` of run, which was recalled by `leak`');
    await acme.call('DELETE', recall);
    expect((await answered()).compliant).toBe(true);
  });

  it('is found by its control, as decisions that nobody signed are', async () => {
    const fresh = await signingOrganization(api);
    await fresh.call('POST', `/controls/${fresh.org}`, { json: { identifier: 'C-1', name: 'Release' } });
    madeOf(await fresh.send(text(summary('PASSED')), decision));
    madeOf(await fresh.send(text(summary('PASSED')), { attestation_name: 'no-decision' }));
    const unsigned = { ...decision, type_name: 'decision', attestation_data: { is_compliant: false } };
    await fresh.attest('system', { ...unsigned, attestation_name: 'later' });
    const found = async (query: string) => {
      const { json } = await fresh.get(`/attestations/${fresh.org}`, query);
      return (json as { data: { attestation_name: string }[] }).data.map(({ attestation_name: name }) => name);
    };
    for (const place of ['', '&flow=web', '&flow=web&trail=run']) {
      expect(await found(`control=C-1${place}`)).toEqual(['later', 'gate']);
    }
    expect(await found(`control=C-1&fingerprint=${SHA256}`)).toEqual(['gate']);
    expect(await found('control=C-1&attestation_type=vsa')).toEqual(['gate']);
    expect(await found('control=C-1&attestation_type=decision')).toEqual(['later']);
    expect(await found('control=C-2')).toEqual([]);
  });

  it('is shown with its signer as what allowed a change, without statements that decide nothing, until it is recalled', async () => {
    const fresh = await signingOrganization(api);
    await fresh.call('POST', `/controls/${fresh.org}`, { json: { identifier: 'C-1', name: 'Release' } });
    await fresh.attest('system', {
      ...{ ...decision, attestation_name: 'board', artifact_fingerprint: SHA256 },
      ...{ type_name: 'decision', attestation_data: { is_compliant: true } },
    });
    madeOf(await fresh.send(JSON.stringify(envelope(key, summary('PASSED'))), decision));
    madeOf(await fresh.send(text(summary('FAILED')), decision));
    madeOf(await fresh.send(text(summary('PASSED')), { attestation_name: 'no-decision' }));
    await fresh.putEnvironment('prod');
    await fresh.run('prod', { artifacts: [{ digests: { app: SHA256 }, creationTimestamp: 1_776_000_000 }] });
    const approvals = async () => {
      const { json } = await fresh.get(`/env-diff/${fresh.org}`, 'environment=prod&from=0');
      const [change] = (json as { changes: { approvals: Record<string, unknown>[] }[] }).changes;
      return change?.approvals.map((one) => [
        one['attestation_name'],
        one['is_compliant'],
        one['signer'],
        one['control'],
      ]);
    };
    expect(await approvals()).toEqual([
      ['gate', false, 'ci', 'C-1'],
      ['board', true, null, 'C-1'],
    ]);
    await fresh.call('PUT', `/recalls/${fresh.org}/leak`, { json: { reason: 'the key leaked', signer: 'ci' } });
    expect(await approvals()).toEqual([
      ['gate', true, 'key', 'C-1'],
      ['board', true, null, 'C-1'],
    ]);
  });

  it('refuses more decisions than one transaction stores', async () => {
    const file = Array.from({ length: 7 }, () => text(summary('PASSED'))).join('\n');
    const [status, { message }] = errorsOf(await acme.send(file, decision)) as [number, { message: string }];
    expect([status, message]).toEqual([
      400,
      expect.stringContaining('about 7 artifacts of the trail together, and one request stores at most 6'),
    ]);
    expect(madeOf(await acme.send(file.split('\n').slice(1).join('\n'), decision))).toHaveLength(6);
  });

  it('has to be verified', async () => {
    const [status, errors] = errorsOf(await acme.send(text(summary('PASSED'), new OwnRoot()), decision));
    expect([status, Object.keys(errors)]).toEqual([400, ['bundle_file']]);
    expect(errorsOf(await acme.send(text(summary('PASSED')), { ...decision, control: 'a b' }))).toEqual([
      400,
      { control: expect.stringContaining('[input: a b]') },
    ]);
  });

  it('needs the feature of controls', async () => {
    const other = await newOrganization(api, []);
    const fields = { data_json: JSON.stringify(decision) };
    const files = { bundle_file: text(summary('PASSED')) };
    for (const path of [`/attestations/${other.org}/web/trail/run/bundle`, `/bundles/${other.org}`]) {
      expect(errorsOf(await other.call('POST', path, { form: { fields, files } }))).toEqual([
        403,
        { message: 'Forbidden' },
      ]);
    }
  });
});

describe('bundles of several signers', () => {
  /** A bundle names its signer, a trust root, a key, a builder and itself, and recalls find the trail by each name. */
  const KEYS = 8;

  it('are stored with one request as far as one transaction holds what they name', async () => {
    const beta = await signingOrganization(api);
    const keys = Array.from({ length: KEYS }, () => newKey().privateKey);
    for (const [i, one] of keys.entries()) {
      const root = { kind: 'public-key', public_key: publicPem(one) };
      await beta.call('PUT', `/trust-roots/${beta.org}/root-${i}`, { json: root });
      await beta.call('PUT', `/signers/${beta.org}/signer-${i}`, { json: { trust_root: `root-${i}` } });
    }
    const built = (n: number) => ({ payload: JSON.stringify(statement({ predicate: { runDetails: { n } } })) });
    const bundles = (signers: number, count: number) =>
      Array.from({ length: count }, (_, n) => {
        const one = keys[n % signers];
        if (!one) throw new Error('There are too few keys');
        return JSON.stringify(envelope(one, built(n)));
      }).join('\n');
    // Four signers with a root and a key each, and twelve bundles.
    const most = madeOf(await beta.send(bundles(4, 12)));
    expect(most.map(({ grade }) => grade)).toEqual(Array.from({ length: 12 }, () => 'signed'));
    const [status, { message }] = errorsOf(await beta.send(bundles(KEYS, KEYS))) as [number, { message: string }];
    expect([status, message]).toEqual([
      400,
      'The bundles name 32 signers, trust roots, builders, runs, keys and bundles together, and one request stores at most 25. Send fewer bundles',
    ]);
  });
});
