import { describe, expect, it } from 'vitest';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { attestSigned } from '#test/support/records/signed-evidence.ts';
import { ROOT_TEXT } from './signers-api.ts';

/** What recalls change of verdicts (rules/verified-evidence.md#effect-of-recalls). */

const api = await testApi([...environmentGroups, assertsGroup, signersGroup, snapshotsGroup]);
const acme = await environmentsOfOrganization(api);
const { org } = acme;
await acme.call('PUT', `/trust-roots/${org}/own`, { json: { kind: 'sigstore', trusted_root: ROOT_TEXT } });
for (const name of ['release', 'backup']) {
  const json = {
    trust_root: 'own',
    issuer: 'https://issuer.example',
    subjects: [`https://ci.example/acme/web/${name}.yml`],
  };
  await acme.call('PUT', `/signers/${org}/${name}`, { json });
}

const TEMPLATE =
  'version: 1\ntrail:\n  artifacts:\n  - name: web\n    attestations:\n    - name: scan\n      type: generic\n';
const recall = (name: string, json: object) =>
  acme.call('PUT', `/recalls/${org}/${name}`, { json: { reason: 'the key leaked', ...json } });
const end = (name: string) => acme.call('DELETE', `/recalls/${org}/${name}`);
const word = async (query = '') => {
  const { json } = await acme.get(`/trails/${org}/web/run`, query);
  return json as { compliance_state: string; compliance_status: { artifacts_statuses: Record<string, object> } };
};
interface Shown {
  attestation_id: string;
  recalls?: object[];
}
interface StoredRow {
  name: string;
  compliant: boolean;
  reasons_for_incompliance: string[];
  reasons: { says: string }[];
}
const FINGERPRINT = fingerprintOf('web');

await acme.putFlow('web', TEMPLATE);
await acme.report(anArtifact('web'));
const target = { artifact_fingerprint: FINGERPRINT, attestation_name: 'scan' };
const { made } = await attestSigned(api, acme, target, { run: 'https://ci.example/7' });

describe('a recall', () => {
  it('empties the slot of evidence that it matches, in every verdict, and its end fills the slot again', async () => {
    const read = async () => {
      const [trail, artifact, assert, list, found, strict] = await Promise.all([
        word(),
        acme.get(`/artifacts/${org}/web/fingerprint/${FINGERPRINT}`),
        acme.get(`/asserts/${org}/fingerprint/${FINGERPRINT}`),
        acme.get(`/trails/${org}`),
        acme.get(`/trails/${org}/web`, 'compliance_state=INCOMPLETE'),
        acme.get(`/artifacts/${org}/web/fingerprint/${FINGERPRINT}`, 'trail=run'),
      ]);
      return [
        trail.compliance_state,
        (artifact.json as { state: string }).state,
        (assert.json as { compliant: boolean }).compliant,
        (list.json as { data: { compliance_state: string }[] }).data.map((one) => one.compliance_state),
        (found.json as { data: object[] }).data.length,
        (strict.json as { state: string }).state,
      ];
    };
    expect(await read()).toEqual(['COMPLIANT', 'COMPLIANT', true, ['COMPLIANT'], 0, 'COMPLIANT']);
    await recall('leak', { signer: 'release' });
    expect(await read()).toEqual(['INCOMPLETE', 'INCOMPLETE', false, ['INCOMPLETE'], 1, 'INCOMPLETE']);
    await end('leak');
    expect(await read()).toEqual(['COMPLIANT', 'COMPLIANT', true, ['COMPLIANT'], 0, 'COMPLIANT']);
  });

  it('is named by the trail, by its reasons and by the verdict of the past, which stays', async () => {
    await recall('leak', { run: 'https://ci.example/7' });
    const recalled = {
      attestation_name: 'scan',
      attestation_type: 'generic',
      attestation_id: made.id,
      recalls: [{ name: 'leak', version: expect.any(Number), since: expect.any(Number) }],
    };
    expect((await word()).compliance_status.artifacts_statuses).toMatchObject({
      web: { status: 'INCOMPLETE', attestations_statuses: [{ status: 'MISSING', recalled }], recalled: [recalled] },
    });
    const explained = await acme.get(`/trails/${org}/web/run`, 'reasons=chain');
    expect(JSON.stringify(explained.json)).toContain('run lacks `web / scan`, which was recalled by `leak`');
    const past = await acme.get(`/trails/${org}/web/run`, 'moment=3&reasons=chain');
    expect(past.json).toMatchObject({
      compliance_state: 'COMPLIANT',
      compliance_status: {
        artifacts_statuses: { web: { attestations_statuses: [{ attestation_id: made.id, recalled }] } },
      },
    });
    expect(JSON.stringify(past.json)).toContain('recalled since by `leak`');
    const { json } = await acme.get(`/asserts/${org}/fingerprint/${FINGERPRINT}`);
    expect(json).toMatchObject({ flows: [{ compliance_status: { recalled: [recalled] } }] });
    await end('leak');
  });

  it('is named by answers of attestations, for one call more where one of them has a signature', async () => {
    const shown = async (path: string, query = '') => {
      const { json } = await acme.get(path, query);
      const found = (json as { data?: Shown[] }).data ?? (json as Shown[]);
      return [found.find(({ attestation_id: id }) => id === made.id)?.recalls, api.entries.at(-1)?.['aws_calls']];
    };
    const all: [string, string?][] = [
      [`/attestations/${org}`],
      [`/attestations/${org}`, `attestation_id=${made.id}`],
      [`/attestations/${org}`, 'attestation_name=scan'],
      [`/attestations/${org}/web/trail/run/scan`],
      [`/attestations/${org}/web/artifact/${FINGERPRINT}/scan`],
    ];
    const before = await Promise.all(all.map((one) => shown(...one)));
    expect(before.map(([recalls]) => recalls)).toEqual(all.map(() => undefined));
    await recall('leak', { signer: 'release' });
    for (const one of all) {
      expect((await shown(...one))[0]).toEqual([
        { name: 'leak', version: expect.any(Number), since: expect.any(Number) },
      ]);
    }
    await end('leak');
    expect((await shown(`/attestations/${org}/web/trail/run/scan`))[0]).toBeUndefined();
    await acme.attest('generic', { attestation_name: 'plain', is_compliant: true }, { trail: 'unsigned' });
    const [, signed] = await shown(`/attestations/${org}/web/trail/run/scan`);
    const [, plain] = await shown(`/attestations/${org}/web/trail/unsigned/plain`);
    expect(Number(signed)).toBe(Number(plain) + 1);
  });

  it('leaves the record before, and matches a bundle that is reported again', async () => {
    const plain = { ...target, attestation_name: 'again' };
    await acme.attest('generic', { ...plain, is_compliant: false });
    await attestSigned(api, acme, plain, { bundle_digest: 'b'.repeat(64) });
    const idOf = async () => {
      const { compliance_status: status } = await acme.trail();
      return status.artifacts_statuses['web']?.attestations_statuses.find((one) => one.attestation_name === 'again');
    };
    expect(await idOf()).toMatchObject({ is_compliant: true });
    await recall('bundle', { bundles: ['b'.repeat(64)] });
    expect(await idOf()).toMatchObject({ is_compliant: false, recalled: { recalls: [{ name: 'bundle' }] } });
    await attestSigned(api, acme, plain, { bundle_digest: 'b'.repeat(64) });
    expect(await idOf()).toMatchObject({ is_compliant: false });
    await attestSigned(api, acme, plain, { signer: { name: 'backup', version: 1 }, bundle_digest: 'c'.repeat(64) });
    expect(await idOf()).toMatchObject({ is_compliant: true });
    await end('bundle');
  });

  it('makes evidence missing for policies of environments, from the next evaluation on', async () => {
    await acme.putEnvironment('prod');
    await acme.putPolicy('signed', policyText('attestations: [{name: scan, type: generic, signed_by: release}]'));
    await acme.attach('prod', 'signed');
    const decided = async () => {
      const { json } = await acme.get(`/asserts/${org}/fingerprint/${FINGERPRINT}`, 'environment_name=prod');
      return (json as { compliant: boolean }).compliant;
    };
    expect(await decided()).toBe(true);
    await acme.run('prod', onServer({ web: 'web' }));
    const stored = async (number: number) => {
      const { json } = await acme.get(`/snapshots/${org}/prod/${number}`, 'reasons=chain');
      const row = (json as { artifacts: StoredRow[] }).artifacts.find(({ name }) => name === 'web');
      return { ...row, said: row?.reasons.map(({ says }) => says) };
    };
    const before = ['prod accepts the artifact', 'signed v1 asks for `scan` of type generic', 'web'];
    expect((await stored(1)).said?.slice(0, 2)).toEqual(before.slice(0, 2));
    await recall('leak', { root: { name: 'own', version: 1 } });
    // What was stored before stays compliant, and says what was recalled since.
    expect(await stored(1)).toMatchObject({
      compliant: true,
      said: expect.arrayContaining([...before.slice(0, 2), 'run has `scan`, recalled since by `leak`']),
    });
    expect(await decided()).toBe(false);
    const everywhere = await acme.get(`/asserts/${org}/fingerprint/${FINGERPRINT}/environments`);
    const lacks = "is missing: the newest was recalled by 'leak'";
    expect((everywhere.json as { environments: object[] }).environments).toMatchObject([
      {
        reasons: [
          `Policy 'signed' version 1: an attestation 'scan' of type 'generic' ${lacks} (flow 'web', trail 'run')`,
        ],
      },
    ]);
    await acme.run('prod', onServer({ web: 'web', other: 'other' }));
    expect(await stored(2)).toMatchObject({
      reasons_for_incompliance: [expect.stringContaining(lacks)],
      said: [
        'prod refuses the artifact',
        'signed v1 asks for `scan` of type generic, and that of run was recalled by `leak`',
        '`scan` of run of web was recalled by `leak`',
      ],
    });
    await recall('leak', { root: { name: 'own', version: 1 }, until: 1 });
    // Nothing proves when the evidence was signed, so an end of the period does not help it.
    expect(await decided()).toBe(false);
    await recall('leak', { root: { name: 'own', version: 1 }, from: 4_000_000_000 });
    expect(await decided()).toBe(true);
    await end('leak');
  });

  it('costs nothing where no slot has a signature, and one read more where one has', async () => {
    await acme.begin({}, { trail: 'plain' });
    await acme.attest('generic', { attestation_name: 'a', is_compliant: true }, { trail: 'plain' });
    const callsOf = async (trail: string) => {
      await acme.trail({ trail });
      return api.entries.at(-1)?.['aws_calls'];
    };
    const plain = Number(await callsOf('plain'));
    expect(await callsOf('run')).toBe(plain + 1);
  });
});
