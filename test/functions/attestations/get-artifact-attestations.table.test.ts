import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { aCommit, anArtifact, evidenceApi, fingerprintOf, newOrganization, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');

describe('GET /attestations/{org}/{flow}/artifact/{fingerprint}/{name}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/attestations/${org}/web/artifact/${CLI}/check`,
    needs: 'reader',
  });

  it('lists the attestations that are bound to the artifact in any trail of the flow, newest first', async () => {
    const acme = await newOrganization(api);
    const named = { target_artifacts: ['cli'], git_commit_info: aCommit() };
    const check = (description: string, fields: Record<string, unknown>, trail: string) =>
      acme.attest('generic', { attestation_name: 'check', description, ...fields }, { trail });
    await check('before', named, 'first');
    await acme.report(anArtifact('cli'), { trail: 'first' });
    await acme.report(anArtifact('lib'), { trail: 'first' });
    await acme.report(anArtifact('cli'), { trail: 'second' });
    await check('by fingerprint', { artifact_fingerprint: CLI }, 'second');
    await check('of another artifact', { artifact_fingerprint: fingerprintOf('lib') }, 'first');
    await check('of another commit', { ...named, git_commit_info: aCommit('d') }, 'first');
    await check('of the trail', {}, 'first');
    const { json } = await acme.get(`/attestations/${acme.org}/web/artifact/${CLI}/check`);
    expect((json as { description: string }[]).map(({ description }) => description)).toEqual([
      'by fingerprint',
      'before',
    ]);
    expect((await acme.get(`/attestations/${acme.org}/web/artifact/${CLI}/none`)).json).toEqual([]);
  });

  it('answers 404 for an unknown flow or artifact', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'), { flow: 'other' });
    await acme.begin({});
    for (const text of [CLI, 'abc', 'a#b?c', 'f'.repeat(5000)]) {
      expect(refusal(await acme.get(`/attestations/${acme.org}/web/artifact/${text}/check`))).toEqual([
        404,
        {
          message: `Artifact with fingerprint '${text}' does not exist in flow 'web' belonging to organization '${acme.org}'`,
        },
      ]);
    }
    expect((await acme.get(`/attestations/${acme.org}/none/artifact/${CLI}/check`)).json).toEqual({
      message: `Flow named 'none' does not exist for organization '${acme.org}'`,
    });
  });
});
