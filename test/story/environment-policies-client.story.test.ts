import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, KEYS, lines, ORG } from './client.ts';
import { environmentsOf, STRICT } from './environment-reports.ts';
import { TIME } from './release.ts';
import { FINGERPRINT } from './workspace.ts';

const LOOSE = STRICT.replace(/(?<=trail-compliance:\n {4}required: )true/, 'false');
const NAME = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`;
const VALIDATION = 'Input payload validation failed';
/** Two mistakes at two levels. */
const BAD_POLICY = `${STRICT}    exceptions:
      - if: \${{ artifact.name = "web" }}
  colour: red
`;

describe.runIf(CLIENT_RUNS_HERE)('the client evaluates environments by policies', () => {
  const client = clientStory();
  const { ok, json, run } = client;
  const { environment, snapshot, write, done } = environmentsOf(client);
  let web = '';
  const verdict = async (expression = 'server') => (await run('assert', 'snapshot', expression)).code === 0;

  beforeAll(async () => {
    web = write('web.bin', 'web');
    write('strict.yml', STRICT);
    write('loose.yml', LOOSE);
    for (const type of ['server', 'docker']) await ok('create', 'environment', type, '--type', type);
    await done('snapshot', 'server', 'server', '--paths', 'client.bin,evidence');
  });

  it('creates a policy and its next version', async () => {
    const create = ['create', 'policy', 'strict'];
    expect(await ok(...create, 'strict.yml', '--description', 'Known builds')).toBe("policy 'strict' was created\n");
    expect(client.requests).toEqual([`PUT /api/v2/policies/${ORG} 201`]);
    const change = ['--description', 'Known builds', '--comment', 'less'];
    expect(await ok(...create, 'loose.yml', ...change)).toBe("policy 'strict' was updated\n");
    expect(client.requests).toEqual([`PUT /api/v2/policies/${ORG} 200`]);
    expect(lines(await ok('get', 'policy', 'strict'))).toEqual([
      'Name:  strict',
      'Description:  Known builds',
      expect.stringMatching(`^Created At:  ${TIME} • .* ago$`),
      'Versions:  2',
      'Attached to environments:  []',
      'Policy content:',
      ...lines(LOOSE),
    ]);
    expect(await json('list', 'policies')).toMatchObject([
      {
        name: 'strict',
        consuming_envs: [],
        versions: [{ policy_yaml: STRICT }, { policy_yaml: LOOSE, comment: 'less' }],
      },
    ]);
  });

  it('attaches a policy: the environment is non-compliant until each artifact is allowed', async () => {
    const attached = await ok('attach-policy', 'strict', '--environment', 'server', '--environment', 'docker');
    expect(attached).toBe("policy 'strict' is attached to environments: [server docker]\n");
    expect(client.requests).toHaveLength(2);
    const shown = lines(await ok('list', 'policies'));
    expect(shown[0]).toBe('NAME  DESCRIPTION  CREATED AT  LAST VERSION  USED BY ENVS');
    expect(shown[1]).toMatch(/^strict {2}Known builds {2}.* {2}2 {2}\[docker server\]$/);
    expect(await environment('server')).toMatchObject({ state: false, policies: ['strict'] });
    expect(await verdict()).toBe(false);
    const allow = ['allow', 'artifact', '--environment', 'server', '--reason', 'trusted'];
    expect(await ok(...allow, 'client.bin', '--artifact-type', 'file')).toBe(
      `artifact ${FINGERPRINT} was allow listed in environment: server\n`,
    );
    expect(await verdict()).toBe(false);
    const folder = (await snapshot('server')).artifacts.find(({ name }) => name.endsWith('evidence'));
    await ok(...allow, 'evidence', '--fingerprint', folder?.fingerprint ?? '');
    expect(await ok('assert', 'snapshot', 'server')).toBe('COMPLIANT\n');
    expect((await environment('server')).state).toBe(true);
    expect([await verdict('server~1'), await verdict('server#1'), await verdict('server#4')]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await snapshot('server')).index).toBe(4);
  });

  it('asserts an artifact for an environment, a policy and without a scope', async () => {
    const assert = ['assert', 'artifact', 'web.bin', '--artifact-type', 'file'];
    await ok('create', 'flow', 'builds', '--use-empty-template');
    await ok('begin', 'trail', 'v1', '--flow', 'builds');
    const urls = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
    const made = ['web.bin', '--artifact-type', 'file', '--name', 'web', '--commit', 'HEAD', '--repo-root', 'repo'];
    await ok('attest', 'artifact', ...made, '--flow', 'builds', '--trail', 'v1', ...urls);
    expect(lines(await ok(...assert, '--environment', 'server'))).toEqual([
      'COMPLIANT',
      'Environment: server',
      'Policy-name  status',
      'strict  COMPLIANT',
      'Flow: builds',
      'Trail: v1',
      'Attestation-name  type  status  compliant',
      expect.stringContaining(`${client.url}/${ORG}/flows/builds/artifacts/${web}`),
    ]);
    for (const scope of [['--policy', 'strict'], ['--environment', 'docker'], []]) {
      expect(await json(...assert, ...scope), scope.join(' ')).toMatchObject({ compliant: true });
    }
  });

  it('detaches a policy: the state is unknown again', async () => {
    const detach = ['detach-policy', 'strict', '--environment', 'server'];
    expect(await ok(...detach)).toBe("policy 'strict' is detached from environments: [server]\n");
    expect(await environment('server')).toMatchObject({ state: null, policies: [] });
    expect(await verdict()).toBe(false);
    expect((await snapshot('server')).index).toBe(5);
  });
});

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

  it('for snapshots of an unknown environment', async () => {
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

  it('for an invalid name or kind', async () => {
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

  it('for a report of the wrong kind, and for a report of a group', async () => {
    const path = ['--path', 'client.bin', '--name', 'web'];
    expect(await refused('snapshot', 'path', 'docker', ...path)).toBe(
      "Error: [kosli snapshot path] Environment 'docker' is of type docker: it takes no report of type server\n",
    );
    expect(await refused('snapshot', 'path', 'all', ...path)).toBe(
      'Error: [kosli snapshot path] cannot report a snapshot to the logical environment all\n',
    );
  });

  it('for groups and their members', async () => {
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

  it('for an unknown snapshot', async () => {
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

  it('for a policy: one message per mistake', async () => {
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

  it('for a reader who tries a change', async () => {
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
