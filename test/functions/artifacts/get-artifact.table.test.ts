import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  anArtifact,
  aRepo,
  evidenceApi,
  fingerprintOf,
  ID,
  invalidFields,
  isTime,
  newOrganization,
  refusal,
  shaOf,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);
await refusing.report(anArtifact('cli'));

describe('GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/artifacts/${org}/web/fingerprint/${CLI}`, needs: 'reader' });

  it('shows every field', async () => {
    const acme = await newOrganization(api);
    await acme.report(
      anArtifact('cli', {
        filename: '..hidden',
        description: 'd',
        annotations: { team: 'a' },
        user_data: { n: 1 },
        repo_info: aRepo(),
        external_urls: { log: 'https://l.example' },
        repo_url: 'https://git.example',
        commits_list: [aCommit('b', { parents: [shaOf('a')], verified: null }), aCommit('a')],
        template: ['artifact'],
      }),
    );
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`);
    const { artifact_id: id, created_at: at } = json as Record<string, unknown>;
    expect(json).toEqual({
      artifact_id: expect.stringMatching(ID),
      fingerprint: CLI,
      filename: 'hidden',
      flow_name: 'web',
      trail_name: 'run',
      template_reference_name: 'cli',
      git_commit: shaOf('c'),
      git_commit_info: aCommit(),
      repo_info: aRepo(),
      commit_url: `https://git.example/acme/web/commit/${shaOf('c')}`,
      build_url: 'https://ci.example/builds/1',
      repo_url: 'https://git.example',
      description: 'd',
      html_url: `https://api.example/${acme.org}/flows/web/artifacts/${CLI}?artifact_id=${id}`,
      state: 'COMPLIANT',
      is_compliant: true,
      annotations: { team: 'a' },
      user_data: { n: 1 },
      commits_list: [aCommit('b', { parents: [shaOf('a')] }), aCommit('a')],
      template: ['artifact'],
      external_urls: { log: { href: 'https://l.example' } },
      created_by: `${acme.org}-admin`,
      identity: null,
      created_at: expect.toSatisfy(isTime),
      running: [],
      exited: [],
      history: [{ event: 'cli reported', timestamp: at }],
    });
  });

  it('shows every reported field of its commit and of its repository', async () => {
    const acme = await newOrganization(api);
    const commit = aCommit('c', {
      author_username: 'ada',
      signature_state: 'valid',
      parents: [shaOf('b')],
      verified: true,
    });
    const more = { description: 'The shop', namespace_path: ['acme', 'shop'], additional_info: { stars: [1] } };
    await acme.report(anArtifact('cli', { git_commit_info: commit, repo_info: aRepo(more) }));
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`);
    expect(json).toMatchObject({ git_commit_info: commit, repo_info: aRepo(more) });
  });

  it('has no null in fields in which clients fail on null', async () => {
    const acme = await newOrganization(api);
    const { git_commit_info: _, ...report } = anArtifact('cli', { repo_url: null });
    await acme.report(report);
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`);
    expect(json).toMatchObject({
      repo_url: '',
      description: '',
      annotations: {},
      user_data: {},
      commits_list: [],
      template: null,
      git_commit_info: null,
    });
  });

  it('counts the attestations of the trail as a whole', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: 'trail:\n  attestations:\n    - {name: review, type: generic}' });
    await acme.report(anArtifact('cli'));
    const state = async () =>
      ((await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`)).json as { state: string }).state;
    expect(await state()).toBe('INCOMPLETE');
    await acme.attest('generic', { attestation_name: 'review' });
    expect(await state()).toBe('COMPLIANT');
    await acme.attest('generic', { attestation_name: 'extra', is_compliant: false });
    expect(await state()).toBe('NON-COMPLIANT');
    expect((await acme.trail()).compliance_status.artifacts_statuses['cli']?.status).toBe('COMPLIANT');
  });

  it('shows the latest report in the flow, or in the trail that the query names', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli', { build_url: 'https://ci.example/1' }), { trail: 'first' });
    await acme.report(anArtifact('cli', { build_url: 'https://ci.example/2' }), { trail: 'second' });
    await acme.report(anArtifact('cli'), { flow: 'other' });
    const read = async (query: string) => (await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`, query)).json;
    expect(await read('')).toMatchObject({ trail_name: 'second', build_url: 'https://ci.example/2' });
    expect(await read('trail=first')).toMatchObject({ trail_name: 'first', build_url: 'https://ci.example/1' });
    const { message } = (await read('trail=none')) as { message: string };
    expect(message).toBe(
      `Artifact with fingerprint '${CLI}' does not exist in flow 'web' belonging to organization '${acme.org}'`,
    );
  });

  it('accepts prefixes of at least five characters, and refuses one that matches several artifacts', async () => {
    const acme = await newOrganization(api);
    const [one, other] = [`abcde${'0'.repeat(59)}`, `abcdf${'0'.repeat(59)}`];
    const third = `abcde${'1'.repeat(59)}`;
    await acme.report(anArtifact('a', { fingerprint: one }));
    await acme.report(anArtifact('b', { fingerprint: other }));
    await acme.report(anArtifact('c', { fingerprint: third }), { flow: 'other' });
    const read = (flow: string, prefix: string) => acme.get(`/artifacts/${acme.org}/${flow}/fingerprint/${prefix}`);
    expect((await read('web', 'abcde')).json).toMatchObject({ fingerprint: one });
    expect((await read('web', 'abcdf00')).json).toMatchObject({ fingerprint: other });
    expect((await read('other', 'abcde')).json).toMatchObject({ fingerprint: third });
    await acme.report(anArtifact('c', { fingerprint: third }));
    expect(refusal(await read('web', 'abcde'))).toEqual(
      invalidFields({ fingerprint: 'Several artifacts begin with it [input: abcde]' }),
    );
    expect((await read('web', 'abcd')).status).toBe(404);
  });

  it.each(['none', 'ABCDEF', 'a#b?c', '..', 'f'.repeat(64), 'f'.repeat(5000)])(
    'answers 404 for the artifact %j',
    async (text) => {
      expect(refusal(await refusing.get(`/artifacts/${refusing.org}/web/fingerprint/${text}`))).toEqual([
        404,
        {
          message: `Artifact with fingerprint '${text}' does not exist in flow 'web' belonging to organization '${refusing.org}'`,
        },
      ]);
    },
  );

  it("answers 404 for another organization's artifact and for an unknown flow", async () => {
    const [acme, other] = [await newOrganization(api), await newOrganization(api)];
    await acme.begin({});
    await other.report(anArtifact('cli'));
    expect((await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`)).status).toBe(404);
    expect(refusal(await acme.get(`/artifacts/${acme.org}/none/fingerprint/${CLI}`))).toEqual([
      404,
      { message: `Flow named 'none' does not exist for organization '${acme.org}'` },
    ]);
  });
});
