import { describe, expect, it } from 'vitest';
import {
  aCommit,
  anArtifact,
  type EvidenceOfOrganization,
  evidenceApi,
  fingerprintOf,
  newOrganization,
  OK,
  refusal,
  type StatusJson,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');

const trailEntries = async (acme: EvidenceOfOrganization) =>
  (await acme.trail()).compliance_status.attestations_statuses;
const override = (fields: Record<string, unknown> = {}) => ({
  attestation_name: 'scan',
  reason: 'looked at it',
  new_compliance_status: true,
  original_attestation_type: 'generic',
  ...fields,
});
const summarize = ({
  attestation_type: type,
  overridden_attestation_id: original,
  is_compliant: compliant,
}: StatusJson) => ({
  type,
  original,
  compliant,
});

describe('an attestation of an artifact', () => {
  it('is refused for a fingerprint that the trail does not have, and creates neither flow nor trail', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'), { flow: 'other' });
    const before = await acme.stored();
    const answer = await acme.attest('generic', { attestation_name: 'a', artifact_fingerprint: CLI });
    expect(refusal(answer)).toEqual([
      404,
      {
        message: `Artifact with fingerprint ${CLI} does not exist in trail "run" of flow "web" belonging to organization "${acme.org}"`,
      },
    ]);
    expect(await acme.stored()).toEqual(before);
  });

  it('is bound to the fingerprint if the report gives fingerprint and names', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    const about = { artifact_fingerprint: CLI, target_artifacts: ['label'] };
    expect((await acme.attest('generic', { attestation_name: 'a', ...about })).status).toBe(201);
    const { events, compliance_status: status } = await acme.trail();
    expect(events.at(-1)).toMatchObject({ type: 'artifact_attestation_reported', target_artifact: 'label' });
    expect(status.artifacts_statuses['cli']?.attestations_statuses).toMatchObject([{ attestation_name: 'a' }]);
    expect(await acme.named('a')).toMatchObject([{ artifact_fingerprint: CLI, target_artifacts: ['label'] }]);
  });

  it('is stored as one record for several named artifacts', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.report(anArtifact('lib'));
    const targets = { target_artifacts: ['cli', 'lib', 'cli'], git_commit_info: aCommit() };
    await acme.attest('generic', { attestation_name: 'a', is_compliant: false, ...targets });
    const { artifacts_statuses: artifacts } = (await acme.trail()).compliance_status;
    const [record] = await acme.named('a');
    for (const name of ['cli', 'lib']) {
      expect(artifacts[name]?.attestations_statuses).toMatchObject([{ attestation_id: record?.['attestation_id'] }]);
      expect(artifacts[name]?.status).toBe('NON-COMPLIANT');
    }
    expect(await acme.named('a')).toHaveLength(1);
  });

  it('accepts twenty names, and refuses more', async () => {
    const acme = await newOrganization(api);
    const names = (count: number) => Array.from({ length: count }, (_, i) => `artifact-${i}`);
    const send = (count: number) =>
      acme.attest('generic', { attestation_name: 'a', target_artifacts: names(count), git_commit_info: aCommit() });
    expect((await send(20)).status).toBe(201);
    expect((await send(21)).status).toBe(400);
  });
});

describe('the latest report', () => {
  it('the latest report of a name and type counts, for each type separately', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'a', is_compliant: false });
    await acme.attest('generic', { attestation_name: 'a' });
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
    await acme.attest('junit', { attestation_name: 'a', junit_results: [] });
    await acme.attest('generic', { attestation_name: 'a' });
    expect((await acme.trail()).compliance_state).toBe('NON-COMPLIANT');
    expect((await acme.named('a')).map(({ attestation_type: type }) => type)).toEqual([
      'generic',
      'junit',
      'generic',
      'generic',
    ]);
  });
});

describe('an override', () => {
  it('replaces the overridden attestation in its slot, and names it', async () => {
    const acme = await newOrganization(api);
    await acme.attest('snyk', {
      attestation_name: 'scan',
      snyk_results: { results: [{ high_count: 1, medium_count: 0, low_count: 0 }] },
    });
    const [original] = await acme.named('scan');
    const fields = override({ original_attestation_type: 'snyk', git_commit_info: aCommit() });
    expect(refusal(await acme.attest('override', fields))).toEqual(OK);
    const [record, before] = await acme.named('scan');
    const id = original?.['attestation_id'];
    expect(before).toEqual(original);
    expect(record).toMatchObject({
      attestation_type: 'override',
      is_compliant: true,
      reason: 'looked at it',
      new_compliance_status: true,
      original_attestation_type: 'snyk',
      overridden_attestation_id: id,
      original_is_compliant: false,
    });
    expect(await trailEntries(acme)).toEqual([
      {
        attestation_name: 'scan',
        attestation_type: 'snyk',
        attestation_id: record?.['attestation_id'],
        overridden_attestation_id: id,
        status: 'COMPLETE',
        is_compliant: true,
        unexpected: true,
      },
    ]);
    expect((await acme.trail()).events.at(-1)).toMatchObject({ attestation_type: 'override' });
  });

  it('is stored even if there is nothing to override, and fills the slot of its type', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: 'trail:\n  attestations:\n    - {name: scan, type: generic}' });
    await acme.attest('override', override());
    expect((await trailEntries(acme)).map(summarize)).toEqual([{ type: 'generic', original: null, compliant: true }]);
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
    expect(await acme.named('scan')).toMatchObject([{ overridden_attestation_id: null }]);
  });

  it('is replaced by a later report, and can be overridden itself', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'scan', is_compliant: false });
    await acme.attest('override', override());
    const [first] = await acme.named('scan');
    await acme.attest('override', override({ new_compliance_status: false }));
    expect((await trailEntries(acme)).map(summarize)).toEqual([
      { type: 'generic', original: first?.['attestation_id'], compliant: false },
    ]);
    await acme.attest('generic', { attestation_name: 'scan' });
    expect((await trailEntries(acme)).map(summarize)).toEqual([{ type: 'generic', original: null, compliant: true }]);
  });

  it('finds the original of an artifact by fingerprint, even if the original was bound by name', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', {
      attestation_name: 'scan',
      is_compliant: false,
      target_artifacts: ['cli'],
      git_commit_info: aCommit(),
    });
    await acme.report(anArtifact('cli'));
    const [original] = await acme.named('scan');
    await acme.attest('override', override({ artifact_fingerprint: CLI }));
    const { artifacts_statuses: artifacts } = (await acme.trail()).compliance_status;
    expect(artifacts['cli']?.attestations_statuses.map(summarize)).toEqual([
      { type: 'generic', original: original?.['attestation_id'], compliant: true },
    ]);
    expect(artifacts['cli']?.status).toBe('COMPLIANT');
  });

  it.each([
    ['issue_tracker', 'jira'],
    ['jira', 'jira'],
    ['custom:coverage', 'custom:coverage'],
  ])('an override with the original type %s fills a slot of the type %s', async (given, kept) => {
    const acme = await newOrganization(api);
    await acme.attest('override', override({ original_attestation_type: given }));
    expect((await trailEntries(acme)).map(summarize)).toEqual([{ type: kept, original: null, compliant: true }]);
  });

  it('an override with the original type custom takes the type from the template if there is no report', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: 'trail:\n  attestations:\n    - {name: scan, type: "custom:coverage"}' });
    await acme.attest('override', override({ original_attestation_type: 'custom' }));
    expect((await trailEntries(acme)).map(summarize)).toEqual([
      { type: 'custom:coverage', original: null, compliant: true },
    ]);
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
  });
});
