import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver, verified } from '#test/support/receiver.ts';
import { CLIENT_RUNS_HERE, clientStory, ORG } from './client.ts';
import { environmentsOf, STRICT } from './environment-reports.ts';

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: shop
      attestations:
        - name: tests
          type: generic
`;
const URLS = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
const BUILT = ['shop.bin', '--artifact-type', 'file', '--name', 'shop'];
const COMMIT = ['--commit', 'HEAD', '--repo-root', 'repo'];
const RELAYED = { timeout: 60_000, interval: 100 };

interface Payload {
  event_type: string;
  environment: string;
  description: string;
  snapshot: { index: string; status: string; html_url: string; api_url: string };
  artifact?: { name: string; fingerprint: string; provenance?: { flow: string; status: string } };
}

describe.runIf(CLIENT_RUNS_HERE)('deployments of an environment', () => {
  const client = clientStory();
  const { ok, json } = client;
  const notifications = `/organizations/${ORG}/environments_notifications`;
  const { environment, snapshot, write, send } = environmentsOf(client);
  let receiver: Receiver | undefined;
  /** By path of the receiver. */
  const secrets = new Map<string, string>();
  const payloads: { path: string; payload: Payload }[] = [];
  const unreadable: unknown[] = [];

  /** Returns the payloads that a notification sent, in order. */
  const payloadsOf = (name: string): Payload[] =>
    payloads.filter(({ path }) => path === `/${name}`).map(({ payload }) => payload);
  const stateChanges = () =>
    payloadsOf('state').map(({ event_type: event, snapshot: { index } }) => `${event} #${index}`);
  const events = () => payloadsOf('runs').map(({ event_type: event, artifact }) => `${event} ${artifact?.name}`);
  /** Returns the states of the deliveries of a notification. */
  const deliveryStates = async (number: number) => {
    const [, page] = await send('GET', `/actions/${ORG}/${number}/deliveries?per_page=100`);
    return (page as { deliveries: { state: string }[] }).deliveries.map(({ state }) => state);
  };

  /** Makes a build and reports it to its trail. @restateChanges its fingerprint */
  const build = async (trail: string): Promise<string> => {
    const fingerprint = write('shop.bin', `the build of ${trail}`);
    const place = ['--flow', 'shop', '--trail', trail];
    await ok('begin', 'trail', trail, '--flow', 'shop', ...COMMIT);
    await ok('attest', 'artifact', ...BUILT, ...place, ...COMMIT, ...URLS);
    return fingerprint;
  };
  const attest = (trail: string, fingerprint: string) =>
    ok('attest', 'generic', '--name', 'tests', '--fingerprint', fingerprint, '--flow', 'shop', '--trail', trail);
  /** Reports the artifacts that run, as a scheduled job does. @returns the status of the answer */
  const report = async (): Promise<string> => {
    await ok('snapshot', 'paths', 'prod', '--paths-file', 'paths.yml');
    return client.requests[0]?.slice(-3) ?? '';
  };
  /** Sets the files that run, and reports them. */
  const deploy = (...files: string[]) => {
    const artifacts = Object.fromEntries(files.map((file) => [file, { path: `${file}.bin` }]));
    write('paths.yml', JSON.stringify({ version: 1, artifacts }));
    return report();
  };

  beforeAll(async () => {
    const started = await startReceiver();
    receiver = started;
    // A signature is valid for five minutes, so it is checked when the request arrives.
    started.answer = (request) => {
      const { path } = request;
      try {
        payloads.push({ path, payload: verified(request, secrets.get(path) ?? '') as unknown as Payload });
      } catch (error) {
        unreadable.push(error);
      }
      return { status: 200 };
    };
    write('shop.yml', TEMPLATE);
    write('strict.yml', STRICT);
    await ok('create', 'flow', 'shop', '--template-file', 'shop.yml');
    await ok('create', 'policy', 'strict', 'strict.yml');
    await ok('create', 'environment', 'prod', '--type', 'server');
    await ok('attach-policy', 'strict', '--environment', 'prod');
    for (const [i, [name, triggers]] of Object.entries({
      state: ['ON_COMPLIANT_ENV', 'ON_NON_COMPLIANT_ENV'],
      runs: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT', 'ON_ALLOWED_ARTIFACT'],
    }).entries()) {
      const targets = [{ type: 'WEBHOOK', webhook: `${started.url}/${name}` }];
      const notification = { name, type: 'env', environments: ['prod'], triggers, targets };
      expect(await send('PUT', notifications, notification)).toEqual([200, 'OK']);
      const [, key] = await send('GET', `/actions/${ORG}/${i + 1}/signing-secret`);
      secrets.set(`/${name}`, (key as { secret: string }).secret);
    }
  });
  afterAll(() => receiver?.stop());

  it('an artifact without evidence makes the environment non-compliant; its state was unknown before', async () => {
    await build('v1');
    expect(await deploy('shop')).toBe('201');
    expect((await environment('prod')).state).toBe(false);
    await expect.poll(events, RELAYED).toEqual(['ARTIFACT_STARTED shop']);
    expect(payloadsOf('runs')[0]?.artifact).toMatchObject({ provenance: { flow: 'shop', status: 'non-compliant' } });
    expect(stateChanges()).toEqual([]);
  });

  it('the next report of the same artifact after the evidence arrives makes the environment compliant', async () => {
    expect(await report()).toBe('200');
    await attest('v1', (await snapshot('prod')).artifacts[0]?.fingerprint ?? '');
    // The next report evaluates the environment again only after the relay has marked it.
    await expect.poll(report, RELAYED).toBe('201');
    expect(await report()).toBe('200');
    expect(await ok('assert', 'snapshot', 'prod')).toBe('COMPLIANT\n');
    expect((await snapshot('prod')).artifacts).toMatchObject([{ name: 'shop', annotation: { type: 'changed' } }]);
    await expect.poll(stateChanges, RELAYED).toEqual(['ENV_COMPLIANT #2']);
    expect(payloadsOf('state')[0]).toEqual({
      ...{ version: '1.0', timestamp: expect.stringMatching(/^\d+$/), org: ORG, environment: 'prod' },
      ...{ event_type: 'ENV_COMPLIANT', description: "Environment 'prod' became compliant" },
      snapshot: {
        ...{ index: '2', status: 'compliant' },
        html_url: expect.stringContaining(`/${ORG}/environments/prod/snapshots/2`),
        api_url: expect.stringContaining(`/api/v2/snapshots/${ORG}/prod/2`),
      },
    });
  });

  it('an artifact with evidence keeps the environment compliant, and its trail shows that it runs', async () => {
    await attest('v2', await build('v2'));
    expect(await deploy('shop')).toBe('201');
    expect((await environment('prod')).state).toBe(true);
    const types = async () => {
      const trail = await json<{ events: { type: string }[] }>('get', 'trail', 'v2', '--flow', 'shop');
      return trail.events.map(({ type }) => type);
    };
    await expect.poll(types, RELAYED).toContain('artifact_started_running');
    await expect
      .poll(() => events().sort(), RELAYED)
      .toEqual([...['ARTIFACT_EXITED shop', 'ARTIFACT_STARTED shop', 'ARTIFACT_STARTED shop']]);
    expect(stateChanges()).toHaveLength(1);
  });

  it('an unknown binary makes the environment non-compliant, and the webhook receives this once', async () => {
    write('rogue.bin', 'from nowhere');
    expect(await deploy('shop', 'rogue')).toBe('201');
    expect((await environment('prod')).state).toBe(false);
    await expect.poll(stateChanges, RELAYED).toEqual(['ENV_COMPLIANT #2', 'ENV_NON_COMPLIANT #4']);
    expect(payloadsOf('state')[1]).toMatchObject({
      description: "Environment 'prod' became non-compliant",
      snapshot: { index: '4', status: 'non-compliant' },
    });
    for (let again = 0; again < 3; again += 1) expect(await report()).toBe('200');
  });

  it('the environment is compliant again after the binary is alldeliveryStates', async () => {
    const allow = ['allow', 'artifact', 'rogue.bin', '--artifact-type', 'file', '--environment', 'prod'];
    await ok(...allow, '--reason', 'It is ours');
    expect(await ok('assert', 'snapshot', 'prod')).toBe('COMPLIANT\n');
    await expect.poll(stateChanges, RELAYED).toEqual(['ENV_COMPLIANT #2', 'ENV_NON_COMPLIANT #4', 'ENV_COMPLIANT #5']);
    for (let again = 0; again < 3; again += 1) expect(await report()).toBe('200');
  });

  it('the webhooks receive each change once and nothing for a report without a change', async () => {
    // Events are sent in the order of snapshots, so the events of the last snapshot come last.
    expect(await send('PUT', `/environments/${ORG}/prod/report/server`, { artifacts: [] })).toEqual([201, 'OK']);
    const all = [
      ...['ARTIFACT_ALLOWED rogue.bin', 'ARTIFACT_EXITED rogue', 'ARTIFACT_EXITED shop', 'ARTIFACT_EXITED shop'],
      ...['ARTIFACT_STARTED rogue', 'ARTIFACT_STARTED shop', 'ARTIFACT_STARTED shop'],
    ];
    await expect.poll(() => events().sort(), RELAYED).toEqual(all);
    expect(stateChanges()).toEqual(['ENV_COMPLIANT #2', 'ENV_NON_COMPLIANT #4', 'ENV_COMPLIANT #5']);
    expect(unreadable).toEqual([]);
    await expect.poll(() => deliveryStates(1), RELAYED).toEqual(['delivered', 'delivered', 'delivered']);
    await expect.poll(() => deliveryStates(2), RELAYED).toEqual(all.map(() => 'delivered'));
    const verdicts = await json<{ index: number; compliant: boolean }[]>('list', 'snapshots', 'prod', '--reverse');
    expect(verdicts.map(({ compliant }) => compliant)).toEqual([false, true, true, false, true, true]);
  });
});
