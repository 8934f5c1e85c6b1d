import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, KEYS, lines, ORG, REPO } from './client.ts';
import { since, TIME, TRAIL } from './release.ts';

const VALIDATION = 'Input payload validation failed: ';
const DENIED = "You don't have permission to access this resource\n";
const AS_READER = ['--api-token', KEYS.rob];

describe.runIf(CLIENT_RUNS_HERE)('the client manages the controls of an organization', () => {
  const client = clientStory();
  const { ok, json, refused } = client;
  // Tags of anything else do not go with a repository.
  beforeAll(() => {
    client.repository = {};
  });
  const identifiers = async (...flags: string[]) => {
    const page = await json<{ controls: { identifier: string }[] }>('list', 'controls', ...flags);
    return page.controls.map(({ identifier }) => identifier);
  };

  it('creates controls', async () => {
    const create = ['create', 'control', 'SDLC-1', '--name', 'Code reviewed', '--description', 'By two people'];
    expect(await ok(...create)).toBe('control SDLC-1 was created\n');
    expect(client.requests).toEqual([`POST /api/v2/controls/${ORG} 201`]);
    await ok('create', 'control', 'SDLC-2', '--name', 'Tests passed');
    expect(lines(await ok('get', 'control', 'SDLC-1'))).toEqual([
      ...['Identifier:  SDLC-1', 'Name:  Code reviewed', 'Description:  By two people', 'Version:  1'],
      ...['Archived:  false', 'Created by:  ann', since('Created at')],
    ]);
    expect(await json('get', 'control', 'SDLC-2')).toMatchObject({
      ...{ identifier: 'SDLC-2', name: 'Tests passed', version: 1, archived: false, created_by: 'ann' },
      ...{ tags: {}, links: {}, policies_referencing: [] },
    });
  });

  it('updates the given fields, and each update is a version', async () => {
    const links = { 'run.book': 'https://example.com/run?a=b', wiki: 'https://example.com/wiki' };
    const given = Object.entries(links).flatMap(([name, url]) => ['--link', `${name}=${url}`]);
    expect(await ok('update', 'control', 'SDLC-1', ...given)).toBe('control SDLC-1 was updated\n');
    expect(client.requests).toEqual([`PUT /api/v2/controls/${ORG}/SDLC-1 200`]);
    const control = { name: 'Code reviewed', description: 'By two people', version: 2, links };
    expect(await json('get', 'control', 'SDLC-1')).toMatchObject(control);
    await ok('update', 'control', 'SDLC-1', '--name', 'Code is reviewed', '--link', 'wiki=https://example.com/w');
    expect(await json('get', 'control', 'SDLC-1')).toMatchObject({
      ...{ name: 'Code is reviewed', description: 'By two people', version: 3 },
      links: { wiki: 'https://example.com/w' },
    });
  });

  it('archives and unarchives, also repeatedly', async () => {
    for (const _ of ['once', 'twice']) {
      expect(await ok('archive', 'control', 'SDLC-2')).toBe('control SDLC-2 was archived\n');
      expect(client.requests).toEqual([`POST /api/v2/controls/${ORG}/SDLC-2/archive 200`]);
    }
    expect(await json('get', 'control', 'SDLC-2')).toMatchObject({ archived: true, version: 2 });
    expect([await identifiers(), await identifiers('--archived')]).toEqual([['SDLC-1'], ['SDLC-2']]);
    expect(await refused('update', 'control', 'SDLC-2', '--name', 'x')).toContain("Control 'SDLC-2' is archived");
    for (const _ of ['once', 'twice']) {
      expect(await ok('unarchive', 'control', 'SDLC-2')).toBe('control SDLC-2 was unarchived\n');
    }
    expect(await json('get', 'control', 'SDLC-2')).toMatchObject({ archived: false, version: 3 });
  });

  it('lists controls by page, name, text and tag', async () => {
    const row = (text: string) => expect.stringMatching(new RegExp(`^${text}  ${TIME}$`));
    expect(lines(await ok('list', 'controls'))).toEqual([
      'IDENTIFIER  NAME  DESCRIPTION  CREATED AT',
      row('SDLC-1  Code is reviewed  By two people'),
      row('SDLC-2  Tests passed'),
      'Showing page 1 of 1, total 2 controls',
    ]);
    expect(await identifiers('--sort-direction', 'desc')).toEqual(['SDLC-2', 'SDLC-1']);
    expect(await identifiers('--page', '2', '--page-limit', '1')).toEqual(['SDLC-2']);
    expect(await ok('list', 'controls', '--page', '3')).toBe('No controls were found at page number 3.\n');
    expect([await identifiers('--search', 'REVIEW'), await identifiers('--search', 'sdlc-2')]).toEqual([
      ...[['SDLC-1'], ['SDLC-2']],
    ]);
    expect(await ok('tag', 'control', 'SDLC-1', '--set', 'framework=sdlc,tier=1')).toBe(
      "Tag(s) [framework, tier] added for control 'SDLC-1'\n",
    );
    expect(client.requests).toEqual([`PATCH /api/v2/tags/${ORG}/control/SDLC-1 200`]);
    await ok('tag', 'controls', 'SDLC-1', '--unset', 'tier,nothing');
    expect(await json('get', 'control', 'SDLC-1')).toMatchObject({ version: 3, tags: { framework: 'sdlc' } });
    expect(await identifiers('--tag', 'framework:sdlc', '--tag', 'framework')).toEqual(['SDLC-1']);
    expect(await identifiers('--tag', 'framework:other')).toEqual([]);
  });

  it('shows the errors of controls', async () => {
    const create = (identifier: string, ...flags: string[]) =>
      refused('create', 'control', identifier, '--name', 'x', ...flags);
    expect(await create('SDLC-1')).toBe(
      `Error: [kosli create control] A control with identifier 'SDLC-1' already exists in organization '${ORG}'\n`,
    );
    const pattern = String.raw`String should match pattern '^[a-zA-Z0-9\-._~]+$' [input: bad identifier]`;
    expect(await create('bad identifier')).toBe(
      `Error: [kosli create control] ${VALIDATION}map[identifier:${pattern}]\n`,
    );
    expect(await create('SDLC-3', ...AS_READER)).toBe(`Error: [kosli create control] ${DENIED}`);
    for (const verb of ['get', 'update', 'archive', 'unarchive']) {
      const flags = verb === 'update' ? ['--name', 'x'] : [];
      expect(await refused(verb, 'control', 'SDLC-9', ...flags)).toBe(
        `Error: [kosli ${verb} control] Control 'SDLC-9' does not exist in organization '${ORG}'\n`,
      );
    }
    expect(await refused('tag', 'control', 'SDLC-9', '--set', 'a=b')).toBe(
      `Error: [kosli tag] "Control 'SDLC-9' does not exist in organization '${ORG}'"\n`,
    );
    expect(await refused('list', 'controls', '--page-limit', '101')).toContain('map[query.per_page:');
    expect(await refused('list', 'controls', '--sort-direction', 'up')).toContain(
      "map[query.sort_direction:Input should be 'asc' or 'desc' [input: up]]",
    );
    expect(await refused('update', 'control', 'SDLC-1', '--link', 'wiki=nowhere')).toContain(`${VALIDATION}map[links`);
  });

  it('records decisions for the current version of a control, and for a control that does not exist', async () => {
    await ok('create', 'flow', 'release', '--use-empty-template');
    const decide = (name: string, control: string, ...flags: string[]) =>
      ok('attest', 'decision', '--name', name, '--control', control, ...flags, ...TRAIL);
    client.repository = REPO;
    await decide('review', 'SDLC-1', '--compliant=false');
    expect(client.requests).toContain(`POST /api/v2/attestations/${ORG}/release/trail/v1/system 201`);
    await ok('update', 'control', 'SDLC-1', '--description', 'By people of two teams');
    await decide('review', 'SDLC-1', '--compliant');
    await decide('other', 'SDLC-9', '--compliant');
    const decisions = async (name: string) => {
      type Decision = { control: string; control_version: number | null; is_compliant: boolean };
      const found = await json<Decision[]>('get', 'attestation', name, '--flow', 'release', '--trail', 'v1');
      return found.map(({ control, control_version, is_compliant }) => [control, control_version, is_compliant]);
    };
    expect(await decisions('review')).toEqual([
      ['SDLC-1', 4, true],
      ['SDLC-1', 3, false],
    ]);
    expect(await decisions('other')).toEqual([['SDLC-9', null, true]]);
  });
});
