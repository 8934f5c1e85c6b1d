import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { aCommit, anArtifact, fingerprintOf, shaOf } from '#test/support/evidence.ts';
import { newNotification } from '#test/support/records/notified.ts';
import { type ReadingOrganization, readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const { clock } = api.services;
const HOUR = 3_600_000_000;

interface Change {
  kind: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  [field: string]: unknown;
}

interface Changes {
  changes: Change[];
  totals: Record<string, number>;
  [field: string]: unknown;
}

const setup = async (): Promise<ReadingOrganization> => {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod');
  return acme;
};

const ask = ({ get, org }: ReadingOrganization, query: string) => get(`/env-diff/${org}`, query);

async function changes(acme: ReadingOrganization, query: string): Promise<Changes> {
  const { status, json, text } = await ask(acme, `environment=prod&${query}`);
  if (status !== 200) throw new Error(text);
  return json as Changes;
}

/** Seconds of an instant after everything so far. */
function anHourLater(): number {
  clock.advance(HOUR);
  const seconds = Math.floor(clock.now() / 1e6);
  clock.advance(HOUR);
  return seconds;
}

const nameOf = ({ before, after }: Change) => (after ?? before)?.['name'];

describe('GET /env-diff/{org} with two instants', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/env-diff/${org}`,
    request: { query: 'environment=prod&from=0' },
    needs: 'reader',
  });

  it('pairs versions with commits, author, reviewer, verdicts and deliveries', async () => {
    const acme = await setup();
    await newNotification(api.services, acme.id, [(await acme.head('prod')).id], ['ON_STARTED_ARTIFACT']);
    await acme.putPolicy('strict');
    await acme.attach('prod', 'strict');
    const version = (n: number) => ({
      template_reference_name: 'app',
      git_commit: shaOf(`c${n}`),
      git_commit_info: aCommit(`c${n}`),
      commit_url: `https://git.example/acme/web/commit/${shaOf(`c${n}`)}`,
    });
    await acme.report(anArtifact('app:1', version(1)), { trail: 'one' });
    await acme.report(anArtifact('app:2', version(2)), { trail: 'two' });
    const reviewed = await acme.attest(
      'pull_request',
      {
        attestation_name: 'review',
        pull_requests: [
          {
            url: 'https://git.example/pr/7',
            approvers: [
              { username: 'bob', state: 'APPROVED', timestamp: 1_776_252_300 },
              { username: 'eve', state: 'CHANGES_REQUESTED', timestamp: 1_776_252_301 },
            ],
          },
        ],
      },
      { trail: 'two' },
    );
    expect(reviewed.status).toBe(201);
    await acme.run('prod', onServer({ 'app:1': 'app:1', gone: 'gone', same: 'same' }));
    const from = anHourLater();
    await acme.run('prod', onServer({ 'app:2': 'app:2', new: 'new', same: 'same' }));
    await acme.allow('prod', 'new', { description: 'vendor image' });
    await acme.expand('prod');
    const body = await changes(acme, `from=${from}`);
    const [, second] = await acme.snapshots('prod');
    expect(body).toMatchObject({
      environment: 'prod',
      from,
      before: { snapshot_index: 1, state: false },
      after: { snapshot_index: 3, state: false },
      first_snapshot_at: null,
      last_compliant_at: null,
      totals: { replaced: 1, started: 1, stopped: 1, judged: 0, scaled: 0 },
      total_count: 3,
      only_between: 0,
      notified: [],
      notified_complete: true,
    });
    expect(body.changes.map((change) => [change.kind, nameOf(change)])).toEqual([
      ['replaced', 'app:2'],
      ['started', 'new'],
      ['stopped', 'gone'],
    ]);
    expect(body.changes[0]).toEqual({
      kind: 'replaced',
      before: {
        fingerprint: fingerprintOf('app:1'),
        name: 'app:1',
        state: true,
        allowed: false,
        instances: 1,
        flow_name: 'web',
        trail_name: 'one',
        git_commit: shaOf('c1'),
        commit_url: `https://git.example/acme/web/commit/${shaOf('c1')}`,
        author: 'Ada <ada@example.com>',
        message: 'Change c1',
        html_url: expect.stringContaining(fingerprintOf('app:1')),
      },
      after: expect.objectContaining({ name: 'app:2', state: true, git_commit: shaOf('c2'), message: 'Change c2' }),
      at: (second?.at ?? 0) / 1e6,
      snapshot_index: 2,
      code_diff: `https://git.example/acme/web/compare/${shaOf('c1')}...${shaOf('c2')}`,
      approvals: [
        {
          kind: 'pull_request',
          by: 'bob',
          at: 1_776_252_300,
          is_compliant: true,
          attestation_name: 'review',
          attestation_id: expect.any(String),
          control: null,
          url: 'https://git.example/pr/7',
          reason: null,
          signer: null,
        },
      ],
      notified: [
        {
          delivery_id: expect.any(String),
          action: { number: expect.any(Number), name: expect.any(String) },
          trigger: 'ON_STARTED_ARTIFACT',
          description: expect.stringContaining('started running'),
          target: { type: 'WEBHOOK', host: expect.any(String) },
          state: 'pending',
          at: (second?.at ?? 0) / 1e6,
        },
      ],
    });
    expect(body.changes[1]).toMatchObject({
      after: { allowed: true, state: true, flow_name: null, author: null },
      approvals: [{ kind: 'allow_list', by: `${acme.org}-admin`, reason: 'vendor image' }],
    });
  });

  it('names decisions and overrides of the trail', async () => {
    const acme = await setup();
    await acme.report(anArtifact('app'));
    const subject = { attestation_name: 'gate', artifact_fingerprint: fingerprintOf('app') };
    await acme.attest('system', {
      ...subject,
      type_name: 'decision',
      control: 'RCTL-1',
      attestation_data: { is_compliant: true },
    });
    await acme.attest('generic', { attestation_name: 'scan', is_compliant: false });
    await acme.attest('generic', { attestation_name: 'tests', is_compliant: true });
    await acme.attest('override', {
      attestation_name: 'scan',
      reason: 'false alarm',
      new_compliance_status: true,
      original_attestation_type: 'generic',
    });
    await acme.run('prod', onServer({ app: 'app' }));
    const { changes: found } = await changes(acme, 'from=0');
    expect(found[0]?.['approvals']).toMatchObject([
      { kind: 'override', attestation_name: 'scan', is_compliant: true, reason: 'false alarm' },
      { kind: 'decision', attestation_name: 'gate', is_compliant: true, control: 'RCTL-1' },
    ]);
  });

  it('tells another verdict from other instances, and shows what is not compliant first', async () => {
    const acme = await setup();
    const twice = (...names: string[]) => names.flatMap((name) => onServer({ [name]: name }).artifacts);
    await acme.run('prod', { artifacts: twice('a', 'b', 'b') });
    const from = anHourLater();
    await acme.putPolicy('strict');
    await acme.attach('prod', 'strict');
    await acme.allow('prod', 'a');
    await acme.allow('prod', 'b');
    await acme.run('prod', { artifacts: twice('a', 'b', 'c') });
    const body = await changes(acme, `from=${from}`);
    expect(body.changes.map((change) => [change.kind, nameOf(change)])).toEqual([
      ['started', 'c'],
      ['judged', 'a'],
      ['judged', 'b'],
    ]);
    expect(body.changes[2]).toMatchObject({
      before: { state: null, instances: 2 },
      after: { state: true, instances: 1 },
    });
  });

  it('says when the environment was compliant last, and counts what ran only in between', async () => {
    const acme = await setup();
    await acme.putPolicy('strict');
    await acme.run('prod', onServer({}));
    await acme.attach('prod', 'strict');
    await acme.run('prod', onServer({ rogue: 'rogue' }));
    await acme.run('prod', onServer({ other: 'other' }));
    await acme.expand('prod');
    const [, compliant, broken] = await acme.snapshots('prod');
    expect([compliant?.state, broken?.state]).toEqual([true, false]);
    const body = await changes(acme, 'from=0');
    expect(body['last_compliant_at']).toBeCloseTo((broken?.at ?? 0) / 1e6, 3);
    expect(body['only_between']).toBe(1);
    const since = await changes(acme, `from=${body['last_compliant_at']}`);
    expect(since['before']).toMatchObject({ snapshot_index: 2, state: true });
  });

  it('answers for periods before the first report, without reports, and without any snapshot', async () => {
    const acme = await setup();
    const never = await changes(acme, 'from=0');
    expect(never).toMatchObject({ before: null, after: null, first_snapshot_at: null, changes: [] });
    const early = anHourLater();
    await acme.run('prod', onServer({ app: 'app' }));
    const [first] = await acme.snapshots('prod');
    const begun = { before: null, first_snapshot_at: (first?.at ?? 0) / 1e6 };
    expect(await changes(acme, `from=${early}`)).toMatchObject({ ...begun, after: { snapshot_index: 1 } });
    expect(await changes(acme, `from=0&to=${early}`)).toMatchObject({ ...begun, after: null, changes: [] });
    const later = anHourLater();
    const quiet = await changes(acme, `from=${later}`);
    expect(quiet).toMatchObject({ before: { snapshot_index: 1 }, after: { snapshot_index: 1 }, changes: [] });
  });

  it('reads dates and dates with a time in UTC like seconds, and takes a future end as now', async () => {
    const acme = await setup();
    const at = Date.parse('2026-01-02T00:00:00Z') / 1000;
    for (const from of ['2026-01-02', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00', String(at)]) {
      expect((await changes(acme, `from=${from}`))['from']).toBe(at);
    }
    const before = clock.now() / 1e6;
    const { to } = await changes(acme, 'from=0&to=9999999999');
    expect(to).toBeGreaterThanOrEqual(before);
    expect(to).toBeLessThan(before + 3600);
  });

  it('cuts pages, with the totals of all changes', async () => {
    const acme = await setup();
    await acme.run('prod', onServer({ a: 'a', b: 'b', c: 'c' }));
    const second = await changes(acme, 'from=0&page=2&per_page=2');
    expect(second.changes.map(nameOf)).toEqual(['c']);
    expect(second).toMatchObject({ page: 2, per_page: 2, total_pages: 2, total_count: 3, totals: { started: 3 } });
    expect((await changes(acme, 'from=0&page=9')).changes).toEqual([]);
  });

  it('names the members of a logical environment', async () => {
    const acme = await setup();
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    await acme.run('prod', onServer({ app: 'app' }));
    await acme.expand('prod');
    const { json } = await ask(acme, 'environment=all&from=0');
    expect((json as Changes).changes).toMatchObject([{ kind: 'started', environment_name: 'prod' }]);
  });
});
