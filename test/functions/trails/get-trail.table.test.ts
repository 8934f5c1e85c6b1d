import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  anArtifact,
  aRepo,
  evidenceApi,
  fingerprintOf,
  ID,
  isTime,
  newOrganization,
  refusal,
  shaOf,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const TEMPLATE = `version: 1
trail:
  attestations:
    - {name: bar, type: generic}
  artifacts:
    - name: cli
      attestations:
        - {name: foo, type: generic}
`;

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);
await refusing.begin({});

describe('GET /trails/{org}/{flow}/{trail}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/trails/${org}/web/run`, needs: 'reader' });

  it('shows every field', async () => {
    const acme = await newOrganization(api);
    const commit = aCommit('c', { author_username: 'ada', parents: [shaOf('b')] });
    await acme.begin({ description: 'd', git_commit_info: commit, repo_info: aRepo() }, { template: TEMPLATE });
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', { attestation_name: 'bar' });
    const trail = await acme.trail();
    expect(trail).toEqual({
      name: 'run',
      description: 'd',
      compliance_state: 'INCOMPLETE',
      is_compliant: false,
      created_at: expect.toSatisfy(isTime),
      last_modified_at: expect.toSatisfy(isTime),
      created_by: `${acme.org}-admin`,
      origin_url: null,
      git_commit_info: commit,
      user_data: {},
      external_urls: null,
      repo_ids: [expect.stringMatching(ID)],
      flow: { name: 'web', tags: {} },
      html_url: `https://api.example/${acme.org}/flows/web/trails/run`,
      template: {
        version: 1,
        trail: {
          attestations: [{ name: 'bar', type: 'generic' }],
          artifacts: [{ name: 'cli', attestations: [{ name: 'foo', type: 'generic' }] }],
        },
        content: TEMPLATE,
      },
      compliance_status: {
        status: 'INCOMPLETE',
        is_compliant: false,
        evaluated_at: trail.last_modified_at,
        flow_template_id: expect.stringMatching(ID),
        attestations_statuses: [
          {
            attestation_name: 'bar',
            attestation_type: 'generic',
            attestation_id: expect.stringMatching(ID),
            overridden_attestation_id: null,
            status: 'COMPLETE',
            is_compliant: true,
            unexpected: false,
          },
        ],
        artifacts_statuses: {
          cli: {
            artifact_fingerprint: fingerprintOf('cli'),
            artifact_id: expect.stringMatching(ID),
            status: 'INCOMPLETE',
            is_compliant: false,
            unexpected: false,
            evaluated_at: trail.events[1]?.timestamp,
            flow_template_id: trail.compliance_status.flow_template_id,
            attestations_statuses: [
              {
                attestation_name: 'foo',
                attestation_type: 'generic',
                attestation_id: null,
                overridden_attestation_id: null,
                status: 'MISSING',
                is_compliant: null,
                unexpected: false,
              },
            ],
          },
        },
      },
      events: [expect.anything(), expect.anything(), expect.anything()],
    });
  });

  it('shows every event with the keys of its kind', async () => {
    const acme = await newOrganization(api);
    await acme.begin({ description: 'd', user_data: { a: 1 }, git_commit_info: aCommit('b') });
    await acme.attest('generic', { attestation_name: 'bar', is_compliant: false });
    await acme.attest('junit', {
      attestation_name: 'foo',
      target_artifacts: ['cli'],
      git_commit_info: aCommit(),
      repo_info: aRepo(),
      junit_results: [],
    });
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', { attestation_name: 'foo', artifact_fingerprint: fingerprintOf('cli') });
    const { events, last_modified_at: modified } = await acme.trail();
    const [first] = events;
    const common = {
      org_id: acme.id,
      flow_id: first?.['flow_id'],
      trail_id: first?.['trail_id'],
      timestamp: expect.toSatisfy(isTime),
      repo_info: null,
    };
    const commit = { author_username: null, parents: null, ...aCommit() };
    const attested = (name: string, compliant: boolean) => ({
      attestation_id: expect.stringMatching(ID),
      template_reference_name: name,
      is_compliant: compliant,
    });
    expect(events).toEqual([
      {
        ...common,
        type: 'trail_reported',
        setting_user_id: expect.stringMatching(ID),
        git_commit_info: { author_username: null, parents: null, ...aCommit('b') },
        trail_data_json: { name: 'run', description: 'd', user_data: '{"a":1}', git_commit_info: aCommit('b') },
      },
      {
        ...common,
        type: 'trail_attestation_reported',
        attestation_type: 'generic',
        git_commit_info: null,
        ...attested('bar', false),
      },
      {
        ...common,
        type: 'trail_attestation_for_artifact_reported',
        attestation_type: 'junit',
        ...attested('foo', false),
        target_artifact: 'cli',
        git_commit_info: commit,
        repo_info: {
          inner_id: expect.stringMatching(ID),
          org_id: acme.id,
          repo_id: '4711',
          name: 'acme/web',
          url: 'https://git.example/acme/web',
          provider: 'gitlab',
          description: null,
          created_at: expect.toSatisfy(isTime),
          last_modified_at: expect.toSatisfy(isTime),
        },
      },
      {
        ...common,
        type: 'artifact_creation_reported',
        git_commit_info: commit,
        git_commit: shaOf('c'),
        artifact_fingerprint: fingerprintOf('cli'),
        artifact_name: 'registry.example/cli:1.0',
        artifact_id: expect.stringMatching(ID),
        template_reference_name: 'cli',
      },
      {
        ...common,
        type: 'artifact_attestation_reported',
        attestation_type: 'generic',
        git_commit_info: null,
        ...attested('foo', true),
        artifact_fingerprint: fingerprintOf('cli'),
        artifact_name: 'registry.example/cli:1.0',
        target_artifact: 'cli',
      },
    ]);
    const times = events.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(times.at(-1)).toBe(modified);
  });

  it.each([
    ['an unknown trail', 'web', 'walk'],
    ['an unknown flow', 'none', 'run'],
    ['a name that no trail has', 'web', 'a#b'],
    ['a name of ten thousand characters', 'web', 'n'.repeat(10_000)],
  ])('says that there is no such trail for %s', async (_, flow, trail) => {
    expect(refusal(await refusing.get(`/trails/${refusing.org}/${flow}/${trail}`))).toEqual([
      404,
      { message: `Trail with name '${trail}' does not exist for Organization '${refusing.org}' and Flow '${flow}'` },
    ]);
  });

  it('accepts names of prototype members, such as __proto__', async () => {
    const acme = await newOrganization(api);
    const names = ['__proto__', 'constructor', 'toString'];
    for (const name of names) expect((await acme.report(anArtifact(name))).status).toBe(201);
    for (const name of names) await acme.attest('generic', { attestation_name: name });
    const { text } = await acme.get(`/trails/${acme.org}/web/run`);
    for (const name of names) expect(text).toContain(`"${name}":{"artifact_fingerprint":"${fingerprintOf(name)}"`);
    expect((await acme.trail()).compliance_status.attestations_statuses.map((entry) => entry.attestation_name)).toEqual(
      names,
    );
  });
});
