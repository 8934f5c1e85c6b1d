import { beforeAll, describe, expect, it } from 'vitest';
import { fromSeconds } from '#shared/base/time.ts';
import { CLIENT_RUNS_HERE, clientStory, lines, ORG } from './client.ts';
import { environmentsOf } from './environment-reports.ts';
import { TIME } from './release.ts';
import { FINGERPRINT } from './workspace.ts';

const REPORTED = ['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run'];
const PATHS = `version: 1
artifacts:
  client:
    path: client.bin
  evidence:
    path: evidence
    exclude: [nested/log.txt]
`;
const HEADINGS = 'COMMIT  ARTIFACT  FLOW  COMPLIANCE  RUNNING_SINCE  REPLICAS';
const RELAYED = { timeout: 60_000, interval: 100 };

/** Writes an instant with all digits, in the form of a snapshot expression. */
const instant = (seconds: number): string => {
  const micros = fromSeconds(seconds);
  const millis = new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1);
  return `@{${millis}${`${micros % 1000}`.padStart(3, '0')}}`;
};

describe.runIf(CLIENT_RUNS_HERE)('the client records environments', () => {
  const client = clientStory();
  const { ok, json } = client;
  const reportRequest = `PUT /api/v2/environments/${ORG}/server/report/server`;
  const { environment, snapshot, rows, write, send, report, done } = environmentsOf(client);
  let first = '';
  let second = '';
  const indexes = async (...args: string[]) =>
    (await json<{ index: number }[]>('list', 'snapshots', 'server', ...args)).map(({ index }) => index);

  beforeAll(() => {
    first = write('web.bin', 'first');
    write('paths.yml', PATHS);
  });

  it('creates an environment of each kind, and a second call changes it', async () => {
    for (const kind of REPORTED) {
      const create = ['create', 'environment', kind, '--type', kind, '--description', `All of ${kind}`];
      expect(await ok(...create)).toBe(`environment ${kind} was created\n`);
      expect(client.requests).toEqual([`PUT /api/v2/environments/${ORG} 201`]);
    }
    const group = ['create', 'environment', 'all', '--type', 'logical', '--included-environments', 'docker,lambda'];
    expect(await ok(...group)).toBe('environment all was created\n');
    await ok('create', 'environment', 'server', '--type', 'server', '--description', 'Hosts');
    expect(lines(await ok('get', 'environment', 'server'))).toEqual([
      'Name:  server',
      'Type:  server',
      'Description:  Hosts',
      'State:  N/A',
      'Last Reported At:  N/A',
      'Tags:  None',
      'Policies:  []',
    ]);
    const { included_environments: members, type } = await environment('all');
    expect([type, members]).toEqual(['logical', ['docker', 'lambda']]);
  });

  it('lists environments: all, by page, kind, name and tag', async () => {
    const names = async (...args: string[]) =>
      (await json<{ name: string }[]>('list', 'environments', ...args)).map(({ name }) => name);
    expect(await names()).toEqual([...REPORTED, 'all'].sort());
    expect(await names('--type', 'server', '--type', 'S3', '--sort-direction', 'desc')).toEqual(['server', 'S3']);
    expect(await names('--name', 'AZURE')).toEqual(['azure-apps']);
    // The client takes the repository of its surroundings for the one to tag.
    const tags = { set_tags: { team: 'web' }, remove_tags: null };
    expect(await send('PATCH', `/tags/${ORG}/env/server`, tags)).toEqual([200, 'OK']);
    const shown = lines(await ok('list', 'environments', '--tag', 'team:web', '--page-limit', '2'));
    expect(shown).toEqual([
      expect.stringMatching(/^NAME {2}TYPE {2}LAST REPORT {2}LAST MODIFIED {2}TAGS {2}POLICIES$/),
      expect.stringMatching(/^server {2}server {2}.* {2}\[team=web\] {2}\[\]$/),
      'Showing page 1 of 1, total 1 items',
    ]);
  });

  it('shows no snapshots and events before the first report', async () => {
    expect(await ok('list', 'snapshots', 'server')).toBe('No environment snapshots were found.\n');
    expect(await ok('log', 'environment', 'server')).toBe('No environment events were found.\n');
  });

  it('reports a file: the first report creates a snapshot, an equal second report does not', async () => {
    const path = ['snapshot', 'path', 'server', '--path', 'web.bin', '--name', 'web'];
    expect(await ok(...path)).toBe('[1] artifacts were reported to environment server\n');
    expect(client.requests).toEqual([`${reportRequest} 201`]);
    await ok(...path);
    expect(client.requests).toEqual([`${reportRequest} 200`]);
    second = write('web.bin', 'second');
    await ok(...path);
    expect(client.requests).toEqual([`${reportRequest} 201`]);
    expect(await indexes()).toEqual([2, 1]);
    expect(lines(await ok('get', 'snapshot', 'server'))).toEqual([
      HEADINGS,
      expect.stringMatching(/^N\/A {2}Name: web {2}N\/A {2}NON-COMPLIANT {2}.* ago {2}1$/),
      `Fingerprint: ${second}`,
    ]);
    expect(await rows('server')).toEqual(['#2', 'web exited', 'web started']);
  });

  it('reports paths from a file, and folders by a pattern: only the first report creates a snapshot', async () => {
    const reported = '[2] artifacts were reported to environment server\n';
    for (const [args, names] of [
      [
        ['paths', 'server', '--paths-file', 'paths.yml'],
        ['client', 'evidence'],
      ],
      [
        ['server', 'server', '--paths', 'client.bin,evid*'],
        ['client.bin', 'evidence'],
      ],
    ] as const) {
      expect(await done('snapshot', ...args)).toContain(reported);
      expect(client.requests).toEqual([`${reportRequest} 201`]);
      expect(await done('snapshot', ...args)).toContain(reported);
      expect(client.requests).toEqual([`${reportRequest} 200`]);
      const { artifacts } = await snapshot('server');
      const running = artifacts
        .filter(({ annotation }) => annotation.now > 0)
        .map(({ name }) => name.split('/').at(-1));
      expect(running.sort()).toEqual(names);
    }
    expect((await environment('server')).last_reported_at).toBeGreaterThan((await snapshot('server')).timestamp);
  });

  it('lists the snapshots by intervals, pages and in both directions', async () => {
    expect(await indexes()).toEqual([4, 3, 2, 1]);
    expect(await indexes('--reverse')).toEqual([1, 2, 3, 4]);
    expect(await indexes('--interval', '2..3')).toEqual([3, 2]);
    expect(await indexes('--interval', '~2..NOW')).toEqual([4, 3, 2]);
    expect(await indexes('--interval', '3..')).toEqual([4, 3]);
    expect(await indexes('--interval', 'NOW')).toEqual([4]);
    expect(await indexes('--page', '2', '--page-limit', '3')).toEqual([1]);
    const shown = lines(await ok('list', 'snapshots', 'server', '--page-limit', '2'));
    expect(shown).toEqual([
      'SNAPSHOT  FROM  TO  DURATION  COMPLIANT',
      expect.stringMatching(`^4  ${TIME}  now  .*  false$`),
      expect.stringMatching(`^3  ${TIME}  ${TIME}  .*  false$`),
    ]);
  });

  it('finds a snapshot by number, distance and time', async () => {
    const { timestamp } = await snapshot('server#2');
    expect((await snapshot('server')).index).toBe(4);
    expect((await snapshot('server#1')).artifacts).toMatchObject([{ name: 'web', fingerprint: first }]);
    expect((await snapshot('server~2')).index).toBe(2);
    expect((await snapshot(`server${instant(timestamp)}`)).index).toBe(2);
    expect((await snapshot(`server${instant(timestamp - 0.000001)}`)).index).toBe(1);
    expect((await snapshot('server@{2999-01-02T03:04:05}')).index).toBe(4);
    expect(client.requests).toEqual([`GET /api/v2/snapshots/${ORG}/server/@%7B2999-01-02T03:04:05%7D 200`]);
  });

  it('shows the difference of two snapshots', async () => {
    const block = (fingerprint: string) => [
      'Name:  web',
      `Fingerprint:  ${fingerprint}`,
      'Flow:  Unknown',
      'Commit URL:  Unknown',
      expect.stringMatching(`^Started:  ${TIME} • .* ago$`),
      'Instances:  1',
    ];
    expect(lines(await ok('diff', 'snapshots', 'server#1', 'server~2'))).toEqual([
      'Only present in server#1',
      ...block(first),
      'Only present in server~2 (snapshot: server#2)',
      ...block(second),
    ]);
    expect(lines(await ok('diff', 'snapshots', 'server~2', 'server#2', '--show-unchanged'))).toEqual([
      'Not changed in both snapshots',
      ...block(second),
    ]);
    const sides = await json<Record<string, { snapshot_id?: string; artifacts: object[] }>>(
      ...['diff', 'snapshots', 'server@{2999-01-02T03:04:05}', 'server#2'],
    );
    const shown = Object.entries(sides).map(([name, side]) => [name, side.snapshot_id, side.artifacts.length]);
    expect(shown.sort()).toEqual([
      ['changed', undefined, 0],
      ['not-changed', undefined, 0],
      ['snappish1', 'server#4', 2],
      ['snappish2', 'server#2', 1],
    ]);
  });

  it('lists the events after the relay has recorded them', async () => {
    const events = async (...args: string[]) => {
      const listed = await json<{ type: string; snapshot_index: number }[]>('log', 'environment', 'server', ...args);
      return listed.map(({ type, snapshot_index: index }) => `${type} in ${index}`);
    };
    const all = [
      ...['exited in 4', 'exited in 4', 'started in 4', 'started in 4'],
      ...['exited in 3', 'started in 3', 'started in 3', 'exited in 2', 'started in 2', 'started in 1'],
    ];
    await expect.poll(() => events(), RELAYED).toEqual(all);
    expect(await events('--reverse', '--page-limit', '3')).toEqual(all.toReversed().slice(0, 3));
    expect(await events('--page', '2', '--page-limit', '4')).toEqual(all.slice(4, 8));
    expect(await events('--interval', '2..3')).toEqual(all.slice(4, 9));
    expect(await events('--start', '2', '--end', '2')).toEqual(all.slice(7, 9));
    expect(await events('--start', '1hour', '--end', 'NOW')).toEqual(all);
    expect(await events('--start-ts', '1700000000', '--end-ts', '1700086400')).toEqual([]);
    expect(lines(await ok('log', 'environment', 'server', '--interval', '1..1'))).toEqual([
      'SNAPSHOT  EVENT  FLOW',
      '#1  Artifact: web',
      `Fingerprint: ${first}`,
      'Description: 1 instance started running (from 0 to 1)',
      expect.stringMatching(`^Reported at: ${TIME}$`),
    ]);
  });

  it('finds an artifact that runs or ran and that no flow has reported', async () => {
    expect(lines(await ok('search', first.slice(0, 7)))).toEqual([
      `Search result resolved to artifact with fingerprint ${first}`,
      ...['Name:  web', `Fingerprint:  ${first}`, 'Has provenance:  false'],
      ...['Running in:  [  ]', 'Exited from:  [ server ]', 'History:'],
      expect.stringMatching(`^Started running in server#1 environment  ${TIME}$`),
      expect.stringMatching(`^No longer running in server#2 environment  ${TIME}$`),
    ]);
  });

  it.each([
    ['K8S', { podName: 'web-1', namespace: 'shop', owners: null }],
    ['ECS', { taskArn: 'task/1', cluster_name: 'c', service_name: 's' }],
    ['S3', {}],
    ['lambda', {}],
    ['docker', {}],
    ['azure-apps', { app_name: 'shop', app_kind: 'linux', digests_source: 'logs' }],
    ['cloud-run', { kind: 'service', serviceName: 'shop', revisionName: 'shop-1' }],
  ])('shows the artifacts that run in %s', async (kind, more) => {
    const one = { digests: { web: second }, creationTimestamp: 1_776_000_000, ...more };
    expect(await report(kind, kind, [one])).toEqual([201, 'OK']);
    expect(await report(kind, kind, [one])).toEqual([200, 'OK']);
    expect(lines(await ok('get', 'snapshot', kind))).toEqual([
      HEADINGS,
      expect.stringMatching(/^N\/A {2}Name: web {2}N\/A {2}NON-COMPLIANT {2}.* ago {2}1$/),
      `Fingerprint: ${second}`,
    ]);
  });

  it('joins a group, whose snapshots follow the snapshots of its members', async () => {
    expect(await ok('join', 'environment', '--physical', 'server', '--logical', 'all')).toBe(
      "environment 'server' was joined to 'all'\n",
    );
    await ok('join', 'environment', '--physical', 'server', '--logical', 'all');
    expect((await environment('all')).included_environments).toEqual(['docker', 'lambda', 'server']);
    const members = async () => (await rows('all')).slice(1).map((row) => row.split(' ')[0]?.split('/').at(-1));
    await expect.poll(members, RELAYED).toEqual(expect.arrayContaining(['client.bin', 'evidence', 'web', 'web']));
    const before = (await snapshot('all')).index;
    await ok('snapshot', 'path', 'server', '--path', 'client.bin', '--name', 'alone');
    await expect.poll(members, RELAYED).toContain('alone');
    expect((await snapshot('all')).index).toBeGreaterThan(before);
    const logged = async () =>
      (await json<{ artifact_name: string }[]>('log', 'environment', 'all')).map(({ artifact_name: name }) => name);
    await expect.poll(logged, RELAYED).toContain('alone');
  });

  it('renames an environment, which is still found by its old name', async () => {
    expect(await ok('rename', 'environment', 'server', 'hosts')).toBe('environment server was renamed to hosts\n');
    expect([(await environment('server')).name, (await environment('hosts')).name]).toEqual(['hosts', 'hosts']);
    expect((await environment('all')).included_environments).toEqual(['docker', 'lambda', 'hosts']);
    await ok('snapshot', 'path', 'server', '--path', 'client.bin', '--name', 'alone');
    expect((await snapshot('hosts')).artifacts.at(0)?.fingerprint).toBe(FINGERPRINT);
  });

  it('archives an environment, and a later report creates a new one with its name', async () => {
    expect(await ok('archive', 'environment', 'hosts')).toBe('environment hosts was archived\n');
    const names = await json<{ name: string }[]>('list', 'environments');
    expect(names.map(({ name }) => name)).not.toContain('hosts');
    await expect
      .poll(async () => (await environment('all')).included_environments, RELAYED)
      .toEqual(['docker', 'lambda']);
    await done('snapshot', 'path', 'hosts', '--auto-environment', '--path', 'client.bin', '--name', 'alone');
    expect(client.requests.map((request) => request.slice(-3))).toEqual(['404', '201', '201']);
    expect(await rows('hosts')).toEqual(['#1', 'alone started']);
  });
});
