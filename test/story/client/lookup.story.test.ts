import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, KEYS, lines, ORG } from './client.ts';
import { COMMIT, TIME, TRAIL } from './release.ts';
import { commitOf, FINGERPRINT } from './workspace.ts';

interface RepoJson {
  id: string;
  repo_id: string;
  name: string;
  provider: string | null;
  tags: Record<string, string>;
}

const DENIED = "You don't have permission to access this resource\n";

describe.runIf(CLIENT_RUNS_HERE)('the client searches', () => {
  const client = clientStory();
  const { ok, json, refused } = client;
  const repos = async (...flags: string[]) => {
    const page = await json<{ repos: RepoJson[] }>('list', 'repos', ...flags);
    return page.repos.map(({ repo_id }) => repo_id);
  };
  const repo = (...flags: string[]) => json<RepoJson>('get', 'repo', ...flags);

  beforeAll(async () => {
    await ok('create', 'flow', 'release', '--use-empty-template');
    const urls = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
    const artifact = ['client.bin', '--artifact-type', 'file', '--name', 'client'];
    await ok('attest', 'artifact', ...artifact, ...TRAIL, ...COMMIT, ...urls);
    for (const [id, provider] of [
      ['18', 'github'],
      ['19', 'gitlab'],
    ]) {
      client.repository = {
        KOSLI_REPO_ID: `${id}`,
        KOSLI_REPOSITORY: 'acme/twin',
        KOSLI_REPO_URL: 'https://c.example',
      };
      await ok('attest', 'generic', '--name', `twin-${id}`, '--repo-provider', `${provider}`, ...TRAIL, ...COMMIT);
    }
    client.repository = {};
  });

  it('lists repositories by page, name, text, provider and outer id', async () => {
    expect(lines(await ok('list', 'repos', '--name', 'acme/client'))).toEqual([
      'NAME  URL  PROVIDER  TAGS',
      'acme/client  https://code.example/acme/client  <nil>',
      'Showing page 1 of 1, total 1 repos',
    ]);
    expect(await repos()).toEqual(['17', '18', '19']);
    expect(await repos('--sort-direction', 'desc', '--page-limit', '1', '--page', '3')).toEqual(['17']);
    expect(await repos('--search', 'TWIN')).toEqual(['18', '19']);
    expect(await repos('--provider', 'gitlab')).toEqual(['19']);
    expect(await repos('--repo-id', '17')).toEqual(['17']);
    expect(await ok('list', 'repos', '--page', '2')).toContain('No repos were found');
    expect(await refused('list', 'repos', '--page-limit', '51')).toContain('map[query.per_page:');
  });

  it('gets a repository by its name, by name and provider, and by its inner id', async () => {
    const { id } = await repo('acme/client');
    expect(client.requests).toEqual([`GET /api/v2/repos/${ORG}/acme/client 200`]);
    expect(lines(await ok('get', 'repo', '--repo-id', id))).toEqual([
      ...['Name:  acme/client', `ID:  ${id}`, 'URL:  https://code.example/acme/client'],
      ...['Provider:  <nil>', 'Tags:  None'],
    ]);
    expect(await repo('acme/twin', '--provider', 'gitlab')).toMatchObject({ repo_id: '19', provider: 'gitlab' });
    expect(await refused('get', 'repo', 'acme/twin')).toContain(
      "Multiple repos named 'acme/twin' exist (github, gitlab). Specify the 'provider'",
    );
    for (const flags of [['acme/nothing'], ['acme/client', '--provider', 'github'], ['--repo-id', 'nothing']]) {
      expect(await refused('get', 'repo', ...flags)).toMatch(/^Error: \[kosli get repo\] Repo '.*' not found\n$/);
    }
  });

  it('tags repositories', async () => {
    const twin = ['acme/twin', '--provider', 'github'];
    const { id } = await repo(...twin);
    await ok('tag', 'repo', ...twin, '--set', 'team=a,tier=1');
    expect(client.requests.at(-1)).toBe(`PATCH /api/v2/tags/${ORG}/repo/${id} 200`);
    await ok('tag', 'repos', '--repo-id', id, '--set', 'team=b', '--unset', 'tier,nothing');
    expect(await repo(...twin)).toMatchObject({ tags: { team: 'b' } });
    expect([await repos('--tag', 'team:b'), await repos('--tag', 'tier')]).toEqual([['18'], []]);
    expect(await refused('tag', 'repo', '--repo-id', 'nothing', '--set', 'a=b')).toBe(
      "Error: [kosli tag] Repo 'nothing' not found\n",
    );
  });

  it('tags flows and environments under every name of their kind', async () => {
    await ok('create', 'environment', 'prod', '--type', 'K8S');
    const tagged = async (kind: string, name: string) => {
      const tags = ['--set', `of-${kind}=yes`, '--set', 'passing=1', '--unset', 'passing'];
      expect(await ok('tag', kind, name, ...tags)).toContain(`for ${kind} '${name}'`);
      expect(client.requests).toEqual([`PATCH /api/v2/tags/${ORG}/${kind}/${name} 200`]);
    };
    for (const kind of ['flow', 'flows']) await tagged(kind, 'release');
    expect(await json('get', 'flow', 'release')).toMatchObject({ tags: { 'of-flow': 'yes', 'of-flows': 'yes' } });
    for (const kind of ['env', 'environment', 'environments']) await tagged(kind, 'prod');
    const tags = { 'of-env': 'yes', 'of-environment': 'yes', 'of-environments': 'yes' };
    expect(await json('get', 'environment', 'prod')).toMatchObject({ tags });
    expect(lines(await ok('get', 'environment', 'prod'))).toContain(
      'Tags:  [of-env=yes], [of-environment=yes], [of-environments=yes]',
    );
    expect(await ok('tag', 'flow', 'release')).toBe("No tags were applied for flow 'release'\n");
  });

  it('shows the errors of tags', async () => {
    const tag = (...args: string[]) => refused('tag', ...args);
    const wrong = String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$' [input: bad key]`;
    expect(await tag('flow', 'release', '--set', 'bad key=1')).toBe(
      `Error: [kosli tag] Input payload validation failed: map[set_tags.bad key:${wrong}]\n`,
    );
    expect(await tag('flow', 'release', '--set', `long=${'x'.repeat(1025)}`)).toContain('map[set_tags.long:');
    expect(await tag('flow', 'nothing', '--set', 'a=b')).toBe(
      `Error: [kosli tag] Flow named 'nothing' does not exist for organization '${ORG}'\n`,
    );
    expect(await tag('env', 'nothing', '--set', 'a=b')).toBe(
      `Error: [kosli tag] Environment named 'nothing' does not exist for organization '${ORG}'\n`,
    );
    expect(await tag('flow', 'release', '--set', 'a=b', '--api-token', KEYS.rob)).toBe(`Error: [kosli tag] ${DENIED}`);
  });

  it('finds an artifact by its fingerprint or commit, or by a prefix', async () => {
    const commit = commitOf(client.dir);
    const artifact = [
      ...['Name:  client.bin', `Fingerprint:  ${FINGERPRINT}`, 'Has provenance:  true', 'Flow:  release'],
      ...[`Git commit:  ${commit}`, 'Commit URL:  https://code.example/c/1', 'Build URL:  https://ci.example/1'],
      expect.stringContaining(
        `Artifact URL:  ${client.address}/${ORG}/flows/release/artifacts/${FINGERPRINT}?artifact_id=`,
      ),
      ...['Compliance state:  COMPLIANT', 'Running in:  [  ]', 'Exited from:  [  ]', 'History:'],
      expect.stringMatching(new RegExp(`^client reported  ${TIME}$`)),
    ];
    for (const [asked, what] of [
      [FINGERPRINT, `artifact with fingerprint ${FINGERPRINT}`],
      [FINGERPRINT.slice(0, 5), `artifact with fingerprint ${FINGERPRINT}`],
      [commit, `commit ${commit}`],
      [commit.slice(0, 7), `commit ${commit}`],
    ] as const) {
      expect(lines(await ok('search', asked))).toEqual([`Search result resolved to ${what}`, ...artifact]);
      expect(client.requests).toEqual([`GET /api/v2/search/${ORG}/sha/${asked} 200`]);
    }
    expect(await json('search', FINGERPRINT)).toMatchObject({
      resolved_to: { type: 'fingerprint', full_match: FINGERPRINT },
      artifacts: [{ fingerprint: FINGERPRINT, flow: 'release', git_commit: commit }],
    });
  });

  it('finds nothing for an unknown text', async () => {
    for (const asked of ['f'.repeat(64), 'zzzzzzz']) {
      expect(await refused('search', asked)).toBe(`Error: [kosli search] No matches for '${asked}'.\n`);
    }
    expect(await refused('search', FINGERPRINT.slice(0, 4))).toContain('map[sha:');
    expect(await refused('search', FINGERPRINT, '--org', 'nowhere')).toBe(`Error: [kosli search] ${DENIED}`);
  });
});
