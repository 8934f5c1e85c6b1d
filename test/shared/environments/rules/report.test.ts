import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '#shared/base/errors.ts';
import { REPORT_KINDS, type ReportKind } from '#shared/environments/rules/environment-kinds.ts';
import {
  MOST_ARTIFACTS,
  REPORT_BODIES,
  type ReportedItem,
  runningArtifacts,
} from '#shared/environments/rules/report.ts';
import { RunningArtifact, runningSetDigest } from '#shared/environments/rules/running.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';
import { parseOrRefuse } from '#test/support/parse-or-refuse.ts';
import { aRow, fingerprint, shuffled } from './rows.ts';

const FP_1 = fingerprint(1);
const FP_2 = fingerprint('b');

const anItem = (more: Partial<ReportedItem> = {}): ReportedItem => ({
  digests: { app: FP_1 },
  creationTimestamp: 100,
  ...more,
});

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app-7d', uid: 'u1', controller: true };

/** The smallest valid item of each kind. */
const items: Record<ReportKind, ReportedItem> = {
  K8S: anItem({ podName: 'app-1', namespace: 'prod', owners: [owner] }),
  ECS: anItem({ taskArn: 'arn:1', cluster_name: 'c', service_name: 's' }),
  S3: anItem(),
  lambda: anItem(),
  server: anItem(),
  docker: anItem(),
  'azure-apps': anItem({ app_name: 'web', app_kind: 'app', digests_source: 'logs' }),
  'cloud-run': anItem({ kind: 'service', serviceName: 'web', revisionName: 'web-1' }),
};

const parse = (kind: ReportKind, artifacts: unknown, more: object = {}) =>
  parseOrRefuse(REPORT_BODIES[kind], { artifacts, ...more }, { whole: 'payload' });
const running = (kind: ReportKind, ...artifacts: unknown[]) => runningArtifacts(parse(kind, artifacts));

function faults(kind: ReportKind, artifacts: unknown): Record<string, string> | undefined {
  try {
    parse(kind, artifacts);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.errors;
    throw error;
  }
}

describe('the body of a report', () => {
  test.each(REPORT_KINDS)('the body of a report of kind %s becomes rows that can be stored and read back', (kind) => {
    const rows = runningArtifacts(parse(kind, [items[kind]], { type: kind, id: 7 }));
    expect(rows).toMatchObject([{ name: 'app', fingerprint: FP_1, started: [100] }]);
    expect(JSON.parse(JSON.stringify(rows)).map((row: unknown) => RunningArtifact.parse(row))).toEqual(rows);
  });

  test.each(REPORT_KINDS)('the body of a report of kind %s may be empty', (kind) => {
    expect(running(kind)).toEqual([]);
    expect(running(kind, { ...items[kind], digests: {} })).toEqual([]);
  });

  test.each(REPORT_KINDS)('the body of a report of kind %s needs its fields', (kind) => {
    expect(faults(kind, [{}])).toMatchObject({
      'artifacts[0].digests': expect.stringContaining('[input: None]'),
      'artifacts[0].creationTimestamp': 'Field required [input: None]',
    });
    expect(faults(kind, undefined)).toEqual({ artifacts: 'Field required [input: None]' });
    expect(faults(kind, null)).toEqual({ artifacts: 'Input should be a valid list [input: None]' });
  });

  test('refuses unknown fields on the items of cloud-run and ignores them on others', () => {
    expect(faults('cloud-run', [{ ...items['cloud-run'], extra: 1 }])).toEqual({
      'artifacts[0].extra': 'Extra inputs are not permitted [input: 1]',
    });
    const others = REPORT_KINDS.filter((kind) => kind !== 'cloud-run');
    for (const kind of others) expect(running(kind, { ...items[kind], extra: 1 })[0]).not.toHaveProperty('extra');
  });

  test.each(['A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 'latest'])('refuses the digest %s', (digest) => {
    expect(faults('server', [anItem({ digests: { '/bin/app': testFingerprint(digest) } })])).toEqual({
      'artifacts[0].digests./bin/app': `String should match pattern '^([a-f0-9]{64})?$' [input: ${digest}]`,
    });
  });

  test('refuses names that cannot be stored', () => {
    const digests = JSON.parse(`{"__proto__": "${FP_1}", "app": "${FP_1}"}`);
    expect(faults('server', [anItem({ digests })])).toEqual({
      'artifacts[0].digests': 'Artifacts cannot have this name [input: __proto__]',
    });
    expect(Object.keys(faults('server', [anItem({ digests: { '': FP_1 } })]) ?? {})).toEqual(['artifacts[0].digests.']);
  });

  test('accepts any integer as a creation time, and nothing else', () => {
    expect(running('cloud-run', { ...items['cloud-run'], creationTimestamp: -62135596800 })).toMatchObject([
      { started: [-62135596800] },
    ]);
    expect(faults('server', [anItem({ creationTimestamp: 1.5 })])).toHaveProperty(['artifacts[0].creationTimestamp']);
  });

  test('has at most 10,000 artifacts, as items or as digests', () => {
    const many = Array.from({ length: MOST_ARTIFACTS + 1 }, (_, n) => `app-${n}`);
    const text = expect.stringContaining('List should have at most 10000 items after validation, not 10001');
    expect(
      faults(
        'docker',
        many.map((name) => anItem({ digests: { [name]: FP_1 } })),
      ),
    ).toEqual({ artifacts: text });
    const digests = Object.fromEntries(many.map((name) => [name, FP_1]));
    expect(faults('docker', [anItem({ digests })])).toEqual({ artifacts: text });
    expect(
      faults(
        'docker',
        Array.from({ length: MOST_ARTIFACTS }, () => anItem()),
      ),
    ).toBeUndefined();
  });
});

describe('running artifacts', () => {
  test('are separate rows by name and fingerprint, and instances of one row if both are equal', () => {
    const rows = running(
      'docker',
      anItem({ digests: { app: FP_1 }, creationTimestamp: 300 }),
      anItem({ digests: { app: FP_1, sidecar: FP_1 }, creationTimestamp: 200 }),
      anItem({ digests: { app: FP_2 } }),
    );
    expect(rows).toEqual([
      { name: 'app', fingerprint: FP_1, started: [200, 300] },
      { name: 'sidecar', fingerprint: FP_1, started: [200] },
      { name: 'app', fingerprint: FP_2, started: [100] },
    ]);
  });

  test('running artifacts without a digest are separate rows by name', () => {
    const rows = running('ECS', ...['app', 'app', 'web'].map((name) => ({ ...items.ECS, digests: { [name]: '' } })));
    expect(rows).toMatchObject([
      { name: 'app', fingerprint: '', started: [100, 100] },
      { name: 'web', fingerprint: '', started: [100] },
    ]);
  });

  test('carry the context of their kind, and only that', () => {
    const contexts = REPORT_KINDS.map((kind) => {
      const { name: _, fingerprint: __, started: ___, ...context } = running(kind, items[kind])[0] ?? aRow();
      return [kind, context];
    });
    expect(Object.fromEntries(contexts)).toEqual({
      K8S: { pods: { 'app-1': { namespace: 'prod', creationTimestamp: 100, owners: [owner] } } },
      ECS: { ecs_context: { task_arn: 'arn:1', cluster_name: 'c', service_name: 's' } },
      'azure-apps': { azure_context: { app_name: 'web', app_kind: 'app', digests_source: 'logs' } },
      'cloud-run': {
        cloud_run_context: { kind: 'service', service_name: 'web', revision_name: 'web-1', job_name: null },
      },
      S3: {},
      lambda: {},
      server: {},
      docker: {},
    });
  });

  test('show the context of the oldest instance in blocks for one instance', () => {
    const task = (taskArn: string, creationTimestamp: number) => ({
      digests: { app: FP_1 },
      taskArn,
      creationTimestamp,
    });
    expect(running('ECS', task('arn:2', 200), task('arn:1', 100))).toMatchObject([
      { ecs_context: { task_arn: 'arn:1', cluster_name: null, service_name: null }, started: [100, 200] },
    ]);
  });

  test('keep pods of the same name in different namespaces apart', () => {
    const pod = (namespace: string, creationTimestamp: number) =>
      ({ ...anItem({ podName: 'db-0', namespace, owners: null, creationTimestamp }) }) satisfies ReportedItem;
    expect(running('K8S', pod('stage', 1), pod('prod', 2), pod('prod', 3))).toEqual([
      {
        name: 'app',
        fingerprint: FP_1,
        started: [1, 2, 3],
        pods: {
          'db-0': { namespace: 'prod', creationTimestamp: 2, owners: [] },
          'stage/db-0': { namespace: 'stage', creationTimestamp: 1, owners: [] },
        },
      },
    ]);
  });

  test('are equal for any order of the items', () => {
    const reported = fc.array(
      fc.record({
        digests: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('' as const, FP_1, FP_2), {
          noNullPrototype: true,
        }),
        creationTimestamp: fc.nat(2),
        podName: fc.constantFrom('p1', 'p2'),
        namespace: fc.constantFrom('prod', 'stage'),
      }),
      { maxLength: 8 },
    );
    const orders = reported.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    fc.assert(
      fc.property(orders, ([artifacts, others]) => {
        const rows = runningArtifacts({ artifacts });
        expect(runningArtifacts({ artifacts: others })).toEqual(rows);
        const named = artifacts.reduce((sum, { digests }) => sum + Object.keys(digests).length, 0);
        expect(rows.reduce((sum, { started }) => sum + started.length, 0)).toBe(named);
      }),
    );
  });
});

describe('the digest of a running set', () => {
  test('is equal for any order, any number of instances and any start times', () => {
    fc.assert(
      fc.property(shuffled, fc.array(fc.nat(9), { minLength: 1 }), ([rows, others], started) => {
        const digest = runningSetDigest(rows);
        expect(digest).toMatch(/^[a-f0-9]{64}$/);
        expect(runningSetDigest(others.map((row) => ({ ...row, started, pods: {} })))).toBe(digest);
      }),
    );
  });

  test('differs when an artifact comes, goes or gets another name or fingerprint', () => {
    const rows = [aRow(), aRow({ name: 'web' })];
    const sets = [
      ...[[], rows, rows.slice(1), rows.slice(0, 1)],
      [...rows, aRow({ fingerprint: '' })],
      [aRow({ name: 'web2' }), aRow()],
      [aRow({ fingerprint: FP_2 }), aRow({ name: 'web' })],
      [aRow({ environment: testId('e1') }), aRow({ name: 'web' })],
    ];
    expect(new Set(sets.map(runningSetDigest)).size).toBe(sets.length);
  });

  test('has a fixed value, since it is stored', () => {
    expect(runningSetDigest([])).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
    const digest = createHash('sha256').update(`["/${FP_1}/app","/${FP_1}/web"]`).digest('hex');
    expect(runningSetDigest([aRow({ name: 'web' }), aRow()])).toBe(digest);
  });
});
