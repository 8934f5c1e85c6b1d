import { describe, expect, it } from 'vitest';
import { anArtifact, evidenceApi, fingerprintOf, newOrganization, OK, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');
const decision = (fields: Record<string, unknown> = {}) => ({
  attestation_name: 'approve',
  type_name: 'decision',
  control: 'SDLC-1',
  attestation_data: { is_compliant: true },
  ...fields,
});

describe('POST /attestations/{org}/{flow_name}/trail/{trail_name}/system', () => {
  it('accepts a control that does not exist, and is read as a decision', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: 'trail:\n  attestations:\n    - {name: approve, type: decision}' });
    expect((await acme.trail()).compliance_state).toBe('INCOMPLETE');
    const files = { attachment_file: 'signed' };
    expect(refusal(await acme.attest('system', decision(), { files }))).toEqual(OK);
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
    const [record] = await acme.named('approve');
    const id = record?.['attestation_id'];
    expect(record).toMatchObject({
      attestation_type: 'decision',
      control: 'SDLC-1',
      control_version: null,
      is_compliant: true,
      attestation_data: { is_compliant: true },
      evidence_files: [
        {
          filename: 'attachment_file',
          download_url: `https://api.example/api/v2/attestations/${acme.org}/${id}/attachments/0`,
        },
      ],
    });
  });

  it('accepts every fingerprint that the organization knows, and refuses others', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'), { flow: 'build' });
    const send = (fields: Record<string, unknown>) => acme.attest('system', decision(fields), { trail: 'release' });
    expect(refusal(await send({ artifact_fingerprint: CLI, attestation_data: { is_compliant: false } }))).toEqual(OK);
    const trail = await acme.trail({ trail: 'release' });
    expect(trail.compliance_state).toBe('NON-COMPLIANT');
    expect(trail.compliance_status.attestations_statuses).toMatchObject([{ attestation_name: 'approve' }]);
    expect(trail.events.at(-1)).toMatchObject({
      type: 'artifact_attestation_reported',
      artifact_fingerprint: CLI,
      artifact_name: null,
      target_artifact: null,
    });
    const unknown = fingerprintOf('none');
    expect(refusal(await send({ artifact_fingerprint: unknown }))).toEqual([
      404,
      {
        message: `Artifact with fingerprint ${unknown} does not exist in trail "release" of flow "web" belonging to organization "${acme.org}"`,
      },
    ]);
    const correction = {
      attestation_name: 'approve',
      artifact_fingerprint: CLI,
      reason: 'r',
      new_compliance_status: true,
      original_attestation_type: 'decision',
    };
    expect(refusal(await acme.attest('override', correction, { trail: 'release' }))).toEqual(OK);
    expect((await acme.trail({ trail: 'release' })).compliance_state).toBe('COMPLIANT');
  });

  it('counts only the newest of several decisions', async () => {
    const acme = await newOrganization(api);
    await acme.attest('system', decision({ attestation_data: { is_compliant: false } }));
    await acme.attest('system', decision());
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
    const { json } = await acme.get(`/attestations/${acme.org}`, 'attestation_type=system:decision');
    expect(json).toMatchObject({ pagination: { total: 2 }, data: [{ is_compliant: true }, { is_compliant: false }] });
  });

  it('answers 403 if the feature is off', async () => {
    const acme = await newOrganization(api, ['evaluations']);
    expect(refusal(await acme.attest('system', decision()))).toEqual([403, { message: 'Forbidden' }]);
    expect((await acme.get(`/trails/${acme.org}/web/run`)).status).toBe(404);
  });
});
