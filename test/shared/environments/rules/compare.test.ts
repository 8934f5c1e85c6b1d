import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AnnotationType,
  compareRunning,
  EVENT_TYPES,
  type EvaluatedArtifact,
  snapshotEvents,
} from '#shared/environments/rules/compare.ts';
import { artifactKey, byFingerprint } from '#shared/environments/rules/running.ts';
import { testId } from '#test/support/ids.ts';
import { aRow, fingerprint, rowSets, shuffled } from './rows.ts';

const events = (before: EvaluatedArtifact[] | null, now: EvaluatedArtifact[]) =>
  compareRunning(before, now).events.map(({ type, description }) => [type, description]);

describe('a comparison with the snapshot before', () => {
  test('needs the first snapshot, even if nothing runs', () => {
    expect(compareRunning(null, [])).toEqual({ running: [], exited: [], needsSnapshot: true, events: [] });
    expect(compareRunning([], []).needsSnapshot).toBe(false);
  });

  test.each<[boolean | null, AnnotationType]>([
    [true, 'started-compliant'],
    [false, 'started-non-compliant'],
    [null, 'started'],
  ])('calls a start of compliance %s %s, and its event started', (compliant, type) => {
    const row = aRow({ compliant });
    const comparison = compareRunning([], [row]);
    expect(comparison.running).toEqual([{ row, annotation: { type, was: 0, now: 1 } }]);
    expect(comparison.events).toMatchObject([{ type: 'started', row }]);
    expect(comparison.needsSnapshot).toBe(true);
  });

  test('copies the row of an artifact that exited', () => {
    const row = aRow({ started: [1, 2] });
    const comparison = compareRunning([row], []);
    expect(comparison.exited).toEqual([{ row, annotation: { type: 'exited', was: 2, now: 0 } }]);
    expect(comparison.running).toEqual([]);
    expect(comparison.needsSnapshot).toBe(true);
  });

  test.each<[string, Partial<EvaluatedArtifact>]>([
    ['the number of instances', { started: [100, 200] }],
    ['start times', { started: [900] }],
    [
      'the order of flows',
      {
        flows: [
          { flow: testId('f2'), trail: testId('t2') },
          { flow: testId('f1'), trail: testId('t1') },
        ],
      },
    ],
  ])('makes nothing of %s', (_, more) => {
    const before = [
      aRow({
        flows: [
          { flow: testId('f1'), trail: testId('t1') },
          { flow: testId('f2'), trail: testId('t2') },
        ],
      }),
    ];
    const now = [{ ...aRow({ flows: before[0]?.flows ?? [] }), ...more }];
    const comparison = compareRunning(before, now);
    expect(comparison.needsSnapshot).toBe(false);
    expect(comparison.events).toEqual([]);
    expect(comparison.running).toMatchObject([
      { annotation: { type: 'unchanged', was: 1, now: now[0]?.started.length } },
    ]);
  });

  test.each<[AnnotationType, Partial<EvaluatedArtifact>]>([
    ['updated-provenance', { flows: [] }],
    ['updated-provenance', { flows: [{ flow: testId('f1'), trail: testId('t2') }] }],
    ['updated-provenance', { flows: [{ flow: testId('f2'), trail: testId('t1') }] }],
    [
      'updated-provenance',
      {
        flows: [
          { flow: testId('f1'), trail: testId('t1') },
          { flow: testId('f2'), trail: testId('t2') },
        ],
      },
    ],
    ['updated-provenance', { flows: [], compliant: false, decisions: 'd2' }],
    ['changed', { compliant: false }],
    ['changed', { compliant: null }],
    ['changed', { decisions: 'd2' }],
  ])('says %s of %j', (type, more) => {
    const comparison = compareRunning([aRow()], [aRow(more)]);
    expect(comparison.running).toMatchObject([{ annotation: { type, was: 1, now: 1 } }]);
    expect(comparison.events).toMatchObject([{ type, description: '1 instance changed' }]);
    expect(comparison.needsSnapshot).toBe(true);
  });

  test('compares artifacts without a digest by their name', () => {
    const row = aRow({ fingerprint: '' });
    expect(compareRunning([row], [{ ...row, started: [5] }]).needsSnapshot).toBe(false);
    expect(events([row], [{ ...row, name: 'other' }])).toHaveLength(2);
  });

  test('compares the rows of each member of a group separately', () => {
    const rows = [aRow({ environment: testId('e1') }), aRow({ environment: testId('e2') })];
    expect(compareRunning(rows, rows).needsSnapshot).toBe(false);
    expect(events(rows, rows.slice(0, 1))).toEqual([['exited', '1 instance stopped running (from 1 to 0)']]);
  });

  test('describes events in the documented words', () => {
    const [one, three] = [{ started: [1] }, { started: [1, 2, 3] }];
    expect(events([], [aRow(one)])).toEqual([['started', '1 instance started running (from 0 to 1)']]);
    expect(events([], [aRow(three)])).toEqual([['started', '3 instances started running (from 0 to 3)']]);
    expect(events([aRow(one)], [])).toEqual([['exited', '1 instance stopped running (from 1 to 0)']]);
    expect(events([aRow(three)], [])).toEqual([['exited', '3 instances stopped running (from 3 to 0)']]);
    const changed = aRow({ ...three, decisions: 'd2' });
    expect(events([aRow(one)], [changed])).toEqual([['changed', '3 instances changed']]);
  });

  test('orders events by type and then by fingerprint', () => {
    const named = (digit: number, more = {}) =>
      aRow({ name: `app-${digit}`, fingerprint: fingerprint(digit), ...more });
    const before = [named(9), named(8), named(7), named(2), named(3), named(4)];
    const now = [named(6), named(5), named(7), named(4, { flows: [] }), named(2, { decisions: 'd2' }), named(3)];
    const found = compareRunning(before, now).events.map(({ type, row }) => [type, row.name]);
    expect(found).toEqual([
      ...[
        ['started', 'app-5'],
        ['started', 'app-6'],
      ],
      ...[
        ['exited', 'app-8'],
        ['exited', 'app-9'],
      ],
      ...[
        ['changed', 'app-2'],
        ['updated-provenance', 'app-4'],
      ],
    ]);
  });

  test('orders rows: new or changed ones first, then unchanged ones, the newest first within both', () => {
    const before = [aRow({ name: 'kept', started: [500] }), aRow({ name: 'kept-older' }), aRow({ name: 'turned' })];
    const now = [
      ...before.slice(0, 2),
      aRow({ name: 'turned', started: [300], compliant: false }),
      ...[aRow({ name: 'new', started: [200] }), aRow({ name: 'newer', started: [400, 401] })],
    ];
    const names = compareRunning(before, now).running.map(({ row }) => row.name);
    expect(names).toEqual(['newer', 'turned', 'new', 'kept', 'kept-older']);
  });
});

describe('any comparison', () => {
  test('a comparison of a set with itself finds no difference', () => {
    fc.assert(
      fc.property(shuffled, ([rows, others]) => {
        const { running, exited, needsSnapshot, events: found } = compareRunning(rows, others);
        expect({ exited, needsSnapshot, found }).toEqual({ exited: [], needsSnapshot: false, found: [] });
        expect(running.map(({ row }) => row).sort(byFingerprint)).toEqual(rows.toSorted(byFingerprint));
        for (const { annotation, row } of running) {
          expect(annotation).toEqual({ type: 'unchanged', was: row.started.length, now: row.started.length });
        }
      }),
    );
  });

  test('turns starts into exits and the other way round when its sides are exchanged', () => {
    const keysOf = (found: ReturnType<typeof compareRunning<EvaluatedArtifact>>, type: string) =>
      found.events.filter((event) => event.type === type).map(({ row }) => artifactKey(row));
    fc.assert(
      fc.property(rowSets, rowSets, (a, b) => {
        const [there, back] = [compareRunning(a, b), compareRunning(b, a)];
        expect(keysOf(back, 'exited')).toEqual(keysOf(there, 'started'));
        expect(keysOf(back, 'started')).toEqual(keysOf(there, 'exited'));
        expect(keysOf(back, 'changed')).toEqual(keysOf(there, 'changed'));
        expect(keysOf(back, 'updated-provenance')).toEqual(keysOf(there, 'updated-provenance'));
        expect(back.needsSnapshot).toBe(there.needsSnapshot);
      }),
    );
  });

  test('has events that can be computed again from its rows, in any order of them', () => {
    fc.assert(
      fc.property(rowSets, rowSets, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (a, b, random) => {
        const { running, exited, events: found } = compareRunning(a, b);
        const rows = [...running, ...exited].map((row) => [random.next().value, row] as const);
        const kept = rows.sort(([one], [other]) => one - other).map(([, row]) => row);
        expect(snapshotEvents(kept)).toEqual(found);
      }),
    );
  });

  test('is equal for any order of the rows', () => {
    fc.assert(
      fc.property(shuffled, shuffled, ([a, others], [b, more]) => {
        expect(compareRunning(others, more)).toEqual(compareRunning(a, b));
      }),
    );
  });

  test('has every row of both sides once', () => {
    fc.assert(
      fc.property(rowSets, rowSets, (a, b) => {
        const { running, exited, events: found, needsSnapshot } = compareRunning(a, b);
        expect(running.map(({ row }) => row).sort(byFingerprint)).toEqual(b.toSorted(byFingerprint));
        const stayed = a.filter((row) => b.some((other) => artifactKey(other) === artifactKey(row)));
        expect(exited).toHaveLength(a.length - stayed.length);
        const unchanged = running.filter(({ annotation }) => annotation.type === 'unchanged');
        expect(found).toHaveLength(running.length - unchanged.length + exited.length);
        expect(needsSnapshot).toBe(found.length > 0);
        const places = found.map(({ type }) => EVENT_TYPES.indexOf(type));
        expect(places).toEqual(places.toSorted());
      }),
    );
  });
});
