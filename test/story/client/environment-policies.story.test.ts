import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, lines, ORG } from './client.ts';
import { environmentsOf, STRICT } from './environment-reports.ts';
import { TIME } from './release.ts';
import { FINGERPRINT } from './workspace.ts';

const LOOSE = STRICT.replace(/(?<=trail-compliance:\n {4}required: )true/, 'false');

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
      expect.stringContaining(`${client.address}/${ORG}/flows/builds/artifacts/${web}`),
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
