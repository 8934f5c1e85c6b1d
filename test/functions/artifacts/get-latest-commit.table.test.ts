import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { aCommit, anArtifact, evidenceApi, fingerprintOf, newOrganization, shaOf } from '#test/support/evidence.ts';

const api = await evidenceApi();

describe('GET /artifacts/{org}/{flow}/{fingerprint}/latest_commit', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/artifacts/${org}/web/${fingerprintOf('cli')}/latest_commit`,
    needs: 'reader',
  });

  it('answers the newest commit of another artifact, only on the branch if one is given, or null', async () => {
    const acme = await newOrganization(api);
    const latest = async (name: string, query = '', flow = 'web') =>
      (await acme.get(`/artifacts/${acme.org}/${flow}/${fingerprintOf(name)}/latest_commit`, query)).json;
    expect(await latest('new')).toEqual({ latest_commit: null });
    const at = (name: string, branch: string) =>
      anArtifact(name, { git_commit: shaOf(name), git_commit_info: aCommit(name, { branch }) });
    await acme.report(at('old', 'main'));
    await acme.report(at('side', 'feature'));
    await acme.report(at('new', 'main'));
    expect(await latest('new')).toEqual({ latest_commit: shaOf('side') });
    expect(await latest('new', 'branch=main')).toEqual({ latest_commit: shaOf('old') });
    expect(await latest('never-seen')).toEqual({ latest_commit: shaOf('new') });
    expect(await latest('new', 'branch=none')).toEqual({ latest_commit: null });
    expect(await latest('new', '', 'none')).toEqual({ latest_commit: null });
  });
});
