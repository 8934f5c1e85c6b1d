import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { aCommit, anArtifact, evidenceApi, newOrganization, shaOf } from '#test/support/evidence.ts';

const api = await evidenceApi();

describe('GET /artifacts/{org}/{flow}/commit_sha/{sha}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/artifacts/${org}/web/commit_sha/${shaOf('c')}`,
    needs: 'reader',
  });

  it('lists each artifact of the commit once, by its latest report, newest first', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('one'), { trail: 'first' });
    await acme.report(anArtifact('two'), { trail: 'first' });
    await acme.report(anArtifact('one'), { trail: 'second' });
    await acme.report(anArtifact('three'), { flow: 'other' });
    const other = { git_commit: shaOf('d'), git_commit_info: aCommit('d') };
    await acme.report(anArtifact('four', other), { trail: 'first' });
    const list = async (sha: string, query = '') => {
      const { json } = await acme.get(`/artifacts/${acme.org}/web/commit_sha/${sha}`, query);
      const artifacts = json as { template_reference_name: string; trail_name: string }[];
      return artifacts.map(({ template_reference_name: name, trail_name: trail }) => `${name} ${trail}`);
    };
    expect(await list(shaOf('c'))).toEqual(['one second', 'two first']);
    expect(await list(shaOf('c').slice(0, 7))).toEqual(['one second', 'two first']);
    expect(await list(shaOf('c'), 'trail=first')).toEqual(['two first', 'one first']);
    for (const unknown of [shaOf('x'), 'abcd', 'ZZZZZZ', 'a#b']) expect(await list(unknown)).toEqual([]);
  });

  it('answers 404 for an unknown flow', async () => {
    const acme = await newOrganization(api);
    expect((await acme.get(`/artifacts/${acme.org}/none/commit_sha/${shaOf('c')}`)).json).toEqual({
      message: `Flow named 'none' does not exist for organization '${acme.org}'`,
    });
  });
});
