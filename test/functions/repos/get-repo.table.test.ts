import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { REPOS } from '#shared/evidence/rules/series-kinds.ts';
import { recordActivity } from '#shared/series/activity.ts';
import { describeAccess } from '#test/support/access.ts';
import { refusal } from '#test/support/evidence.ts';
import { newReposOrganization, reposApi } from './repos-api.ts';

const api = await reposApi();
const unknown = (name: string) => [404, { message: `Repo '${name}' not found` }];

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newReposOrganization(api);
await refusing.register({});

describe('GET /repos/{org}/{name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/repos/${org}/acme/web`, needs: 'reader' });

  it.each(['web', 'acme/web', 'acme/group/web', 'acme/a b', 'größe/流', 'acme/web?x', 'a%2Fb'])(
    'finds the repository %s',
    async (name) => {
      const acme = await newReposOrganization(api);
      await acme.register({ name });
      const { status, json } = await acme.get(`/repos/${acme.org}/${name}`);
      expect([status, json]).toEqual([200, (await acme.page()).repos[0]]);
    },
  );

  it('finds a repository by its inner id, and ignores the name', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({ id: '1', name: 'one' });
    await acme.register({ id: '2', name: 'two' });
    const id = await acme.idOf('two');
    const { json } = await acme.get(`/repos/${acme.org}/one`, `id=${id}`);
    expect(json).toMatchObject({ id, name: 'two', repo_id: '2' });
    await acme.register({ id: '2', name: 'three' });
    expect((await acme.get(`/repos/${acme.org}/any/thing`, `id=${id}`)).json).toMatchObject({ name: 'three' });
    expect(refusal(await acme.get(`/repos/${acme.org}/two`))).toEqual(unknown('two'));
  });

  it('answers 400 if several repositories have the name and no provider is given', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({ id: '1', name: 'web', provider: 'github' });
    await acme.register({ id: '2', name: 'web', provider: 'gitlab' });
    await acme.register({ id: '3', name: 'web', provider: 'gitlab' });
    expect(refusal(await acme.get(`/repos/${acme.org}/web`))).toEqual([
      400,
      {
        message:
          "Multiple repos named 'web' exist (github, gitlab). Specify the 'provider' of the one that you want, or its 'id'",
      },
    ]);
    expect((await acme.get(`/repos/${acme.org}/web`, 'provider=github')).json).toMatchObject({ repo_id: '1' });
    expect((await acme.get(`/repos/${acme.org}/web`, 'provider=gitlab')).json).toMatchObject({ repo_id: '2' });
    expect(refusal(await acme.get(`/repos/${acme.org}/web`, 'provider=svn'))).toEqual(unknown('web'));
  });

  it('keeps the inner id of a repository whose provider becomes known later', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({ provider: undefined });
    const id = await acme.idOf('acme/web');
    await acme.register({ provider: 'github' });
    expect((await acme.get(`/repos/${acme.org}/acme/web`)).json).toMatchObject({ id, provider: 'github' });
    expect((await acme.get(`/repos/${acme.org}/x`, `id=${id}`)).json).toMatchObject({ id, provider: 'github' });
  });

  it.each(['nope', 'acme', 'acme/web/', 'Acme/web', '#', '\u0000'])('answers 404 for the name %j', async (name) => {
    const answer = await refusing.get(`/repos/${refusing.org}/${name}`);
    expect(answer.status).toBe(404);
  });

  it("answers 404 for an unknown id, a malformed id and another organization's id", async () => {
    const [acme, other] = [await newReposOrganization(api), await newReposOrganization(api)];
    await acme.register({});
    await other.register({});
    for (const id of ['nope', '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4', await other.idOf('acme/web')]) {
      expect(refusal(await acme.get(`/repos/${acme.org}/acme/web`, `id=${id}`))).toEqual(unknown('acme/web'));
    }
  });

  it('shows when a report last named the repository, after the relay has run', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({});
    const id = await acme.idOf('acme/web');
    await recordActivity(api.services.table, acme.id, REPOS, id, { at: micros(1_800_000_000_500_000), state: '' });
    const shown = { latest_activity: 1_800_000_000.5 };
    expect((await acme.get(`/repos/${acme.org}/acme/web`)).json).toMatchObject(shown);
    expect((await acme.get(`/repos/${acme.org}/x`, `id=${id}`)).json).toMatchObject(shown);
    expect((await acme.page()).repos).toMatchObject([shown]);
  });

  it('shows the tags', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({});
    const id = await acme.idOf('acme/web');
    await acme.call('PATCH', `/tags/${acme.org}/repos/${id}`, { json: { set_tags: { team: 'a' } } });
    await acme.register({ name: 'acme/site' });
    for (const [name, query] of [
      ['acme/site', ''],
      ['x', `id=${id}`],
    ] as const) {
      expect((await acme.get(`/repos/${acme.org}/${name}`, query)).json).toMatchObject({ tags: { team: 'a' } });
    }
  });
});
