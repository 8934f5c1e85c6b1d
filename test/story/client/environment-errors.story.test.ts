import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, KEYS, ORG } from './client.ts';
import { environmentsOf, STRICT } from './environment-reports.ts';
import { FINGERPRINT } from './workspace.ts';

const NAME = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`;
const VALIDATION = 'Input payload validation failed';
/** Two mistakes at two levels. */
const BAD_POLICY = `${STRICT}    exceptions:
      - if: \${{ artifact.name = "web" }}
  colour: red
`;

describe.runIf(CLIENT_RUNS_HERE)('the client shows the errors of environments', () => {
  const client = clientStory();
  const { ok, refused, run } = client;
  const { write } = environmentsOf(client);
  const unknown = `Environment named 'nowhere' does not exist for organization '${ORG}'\n`;

  beforeAll(async () => {
    write('strict.yml', STRICT);
    write('bad.yml', BAD_POLICY);
    write('broken.yml', 'artifacts: [1\n');
    await ok('create', 'environment', 'server', '--type', 'server');
    await ok('create', 'environment', 'docker', '--type', 'docker');
    await ok('create', 'environment', 'all', '--type', 'logical');
    await ok('create', 'environment', 'gone', '--type', 'server');
    await ok('archive', 'environment', 'gone');
    await ok('create', 'policy', 'strict', 'strict.yml');
  });

  it.each([
    ['get environment nowhere', 'kosli get environment'],
    ['archive environment nowhere', 'kosli archive environment'],
    ['rename environment nowhere there', 'kosli rename environment'],
    ['join environment --physical nowhere --logical all', 'kosli join environment'],
    ['join environment --physical server --logical nowhere', 'kosli join environment'],
    ['log environment nowhere', 'kosli log environment'],
    ['get snapshot nowhere', 'kosli get snapshot'],
    ['assert snapshot nowhere', 'kosli assert snapshot'],
    ['diff snapshots nowhere server', 'kosli diff snapshots'],
    ['snapshot path nowhere --path client.bin --name web', 'kosli snapshot path'],
    ['allow artifact client.bin --artifact-type file --environment nowhere --reason r', 'kosli allow artifact'],
    ['assert artifact client.bin --artifact-type file --environment nowhere', 'kosli assert artifact'],
  ])('that is unknown to `%s`', async (command, where) => {
    expect(await refused(...command.split(' '))).toBe(`Error: [${where}] ${unknown}`);
  });

  it('the client shows the errors of environments for snapshots of an unknown environment', async () => {
    expect(await refused('list', 'snapshots', 'nowhere')).toBe('Error: [kosli list snapshots] Flow not found\n');
  });

  it.each([
    ['get environment gone', 'kosli get environment'],
    ['archive environment gone', 'kosli archive environment'],
    ['get snapshot gone', 'kosli get snapshot'],
    ['log environment gone', 'kosli log environment'],
    ['snapshot path gone --path client.bin --name web', 'kosli snapshot path'],
  ])('that is archived to `%s`', async (command, where) => {
    expect(await refused(...command.split(' '))).toBe(
      `Error: [${where}] Environment named 'gone' has been archived for organization '${ORG}'\n`,
    );
  });

  it('the client shows the errors of environments for an invalid name or kind', async () => {
    const wrong = (name: string) => `String should match pattern '${NAME}' [input: ${name}]`;
    expect(await refused('create', 'environment', 'foo bar', '--type', 'server')).toBe(
      `Error: [kosli create environment] ${VALIDATION}: map[name:${wrong('foo bar')}]\n`,
    );
    expect(await refused('rename', 'environment', 'server', 'new illegal name')).toBe(
      `Error: [kosli rename environment] ${VALIDATION}: map[new_name:${wrong('new illegal name')}]\n`,
    );
    expect(await refused('rename', 'environment', 'server', 'docker')).toContain(
      `Environment named 'docker' already exists for organization '${ORG}'`,
    );
    for (const kind of ['k8s', 'unknown']) {
      expect(await refused('create', 'environment', 'other', '--type', kind)).toMatch(
        new RegExp(`^Error: \\[kosli create environment\\] ${VALIDATION}: .*${kind}`),
      );
    }
    expect(await refused('create', 'environment', 'server', '--type', 'docker')).toMatch(/type server .*docker/);
  });

  it('the client shows the errors of environments for a report of the wrong kind, and for a report of a group', async () => {
    const path = ['--path', 'client.bin', '--name', 'web'];
    expect(await refused('snapshot', 'path', 'docker', ...path)).toBe(
      "Error: [kosli snapshot path] Environment 'docker' is of type docker: it takes no report of type server\n",
    );
    expect(await refused('snapshot', 'path', 'all', ...path)).toBe(
      'Error: [kosli snapshot path] cannot report a snapshot to the logical environment all\n',
    );
  });

  it('the client shows the errors of environments for groups and their members', async () => {
    const group = (member: string) => [
      'create',
      'environment',
      'all',
      '--type',
      'logical',
      '--included-environments',
      member,
    ];
    expect(await refused(...group('nowhere'))).toContain(`map[included_environments[0]:${unknown.trim()}`);
    expect(await refused(...group('all'))).toContain("Environment named 'all' is logical");
    expect(await refused('join', 'environment', '--physical', 'all', '--logical', 'all')).toContain('is logical');
    expect(await refused('join', 'environment', '--physical', 'server', '--logical', 'docker')).toContain(
      'Only a logical environment includes others [input: docker]',
    );
  });

  it('the client shows the errors of environments for an unknown snapshot', async () => {
    const resolves = (label: string, index: string, count: number) =>
      `Org: '${ORG}'. Snapshot '${label}' resolves to 'server#${index}'. len(snapshots) == ${count}. Indexes are 1-based\n`;
    const get = (expression: string) => refused('get', 'snapshot', expression);
    expect(await get('server')).toBe(`Error: [kosli get snapshot] ${resolves('server#-1', '0', 0)}`);
    expect(await refused('diff', 'snapshots', 'server', 'server')).toBe(
      `Error: [kosli diff snapshots] ${resolves('server', '0', 0)}`,
    );
    await ok('snapshot', 'path', 'server', '--path', 'client.bin', '--name', 'web');
    expect(await get('server#9')).toBe(`Error: [kosli get snapshot] ${resolves('server#9', '9', 1)}`);
    expect(await get('server~3')).toBe(`Error: [kosli get snapshot] ${resolves('server~3', '-2', 1)}`);
    expect(await get('server@{2.hours.ago}')).toBe(
      `Error: [kosli get snapshot] ${resolves('server@{2.hours.ago}', '0', 1)}`,
    );
    expect(await refused('assert', 'snapshot', 'server#9')).toContain("resolves to 'server#9'");
    for (const expression of ['#abc', '@{yesterday}', '@{0.hours.ago}']) {
      expect(await get(`server${expression}`)).toContain(`invalid expression: ${expression}`);
    }
    expect(await refused('list', 'snapshots', 'server', '--interval', 'abc')).toContain('[input: abc]');
    expect(await refused('log', 'environment', 'server', '--start', 'never')).toContain('[input: never]');
    expect(await refused('log', 'environment', 'server', '--repo', 'acme/none')).toContain(
      "Repo 'acme/none' not found",
    );
  });

  it('the client shows the errors of environments for a policy: one message per mistake', async () => {
    const create = (name: string, file: string, ...more: string[]) => refused('create', 'policy', name, file, ...more);
    const bad = await create('other', 'bad.yml');
    expect(bad).toContain(`Error: [kosli create policy] ${VALIDATION}: map[artifacts.colour:`);
    expect(bad).toContain("line 1, column 19: expected a comparison, 'and', 'or' or the end, found '='");
    expect(await create('other', 'broken.yml')).toContain('map[policy_file:line');
    expect(await create('no good', 'strict.yml')).toContain('[input: no good]');
    expect(await create('other', 'strict.yml', '--type', 'flow')).toContain('[input: flow]');
    const missing = `Policy 'nowhere' does not exist in organization '${ORG}'\n`;
    expect(await refused('get', 'policy', 'nowhere')).toBe(`Error: [kosli get policy] ${missing}`);
    const assert = ['assert', 'artifact', '--fingerprint', FINGERPRINT];
    expect(await refused(...assert, '--policy', 'nowhere')).toBe(`Error: [kosli assert artifact] ${missing}`);
    // The client does not look at what is answered to these.
    for (const [policy, env] of [
      ['nowhere', 'server'],
      ['strict', 'nowhere'],
      ['strict', 'gone'],
    ]) {
      for (const command of ['attach-policy', 'detach-policy']) {
        const { requests } = await run(command, `${policy}`, '--environment', `${env}`);
        expect(requests).toEqual([expect.stringMatching(/ 404$/)]);
      }
    }
  });

  it('the client shows the errors of environments for a reader who tries a change', async () => {
    const denied = "You don't have permission to access this resource\n";
    const key = ['--api-token', KEYS.rob];
    const create = ['create', 'environment', 'other', '--type', 'server'];
    expect(await refused(...create, ...key)).toBe(`Error: [kosli create environment] ${denied}`);
    expect(await refused('snapshot', 'path', 'server', '--path', 'client.bin', '--name', 'web', ...key)).toContain(
      denied,
    );
    expect(await refused('create', 'policy', 'other', 'strict.yml', ...key)).toContain(denied);
    expect(await ok('get', 'environment', 'server', ...key)).toContain('server');
  });
});
