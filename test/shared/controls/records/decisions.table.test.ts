import { describe, expect, it } from 'vitest';
import { type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { fromMillis, micros } from '#shared/base/time.ts';
import { readDecisions } from '#shared/controls/records/decisions.ts';
import { decisionPartition } from '#shared/controls/records/keys.ts';
import { readOlderTrails } from '#shared/evidence/records/artifact-trails.ts';
import { trailsOf } from '#shared/evidence/rules/series-kinds.ts';
import { entryWrite } from '#shared/series/series.ts';
import { keyIn } from '#shared/table/keys.ts';
import { testFingerprint, testId, testName } from '#test/support/ids.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const org = newId<OrganizationId>(micros(1_700_000_000_000_000));
const FINGERPRINT = testFingerprint('a'.repeat(64));
const at = (date: string) => fromMillis(Date.parse(date));

describe('decisions', () => {
  it('decisions of one control and one subject are read newest first', async () => {
    const subjects = [{ fingerprint: FINGERPRINT }, { flow: testId<FlowId>('f'), trail: testName<TrailName>('t') }];
    for (const [i, about] of subjects.entries()) {
      for (const [day, c] of [
        ['2026-01-01', true],
        ['2026-01-02', false],
      ] as const) {
        const sk = newId(micros(at(day) + i * 1_000));
        await table.put({ ...keyIn(decisionPartition(org, 'SC-1', about), sk), v: 1, r: newId(at(day)), n: 'gate', c });
      }
    }
    const [fingerprint, trail] = subjects;
    if (!fingerprint || !trail) throw new Error('no subjects');
    const other = { flow: testId<FlowId>('f'), trail: testName<TrailName>('other') };
    const questions = [
      { control: 'SC-1', about: fingerprint },
      { control: 'SC-1', about: trail, limit: 1 },
      { control: 'SC-2', about: fingerprint },
      { control: 'SC-1', about: other },
    ];
    const expected = [
      [
        { control: 'SC-1', name: 'gate', compliant: false, at: at('2026-01-02') },
        { control: 'SC-1', name: 'gate', compliant: true, at: at('2026-01-01') },
      ],
      [{ at: at('2026-01-02') + 1_000 }],
      [],
      [],
    ];
    expect(await readDecisions(table, org, questions)).toMatchObject(expected);
    // So many questions are asked with statements.
    const many = Array.from({ length: 30 }, () => questions).flat();
    expect(await readDecisions(table, org, many)).toMatchObject(Array.from({ length: 30 }, () => expected).flat());
  });
});

describe('the older trails of an artifact', () => {
  const presence = (flow: string, first: string, last: string) => ({
    flow: testId<FlowId>(flow),
    trail: testName<TrailName>('latest'),
    artifact: 'r',
    name: 'n',
    first: at(first),
    at: at(last),
  });

  it('are found across the ends of years, newest first', async () => {
    const dates = ['2024-11-30', '2024-12-31T23:59:59Z', '2025-01-01', '2025-09-01', '2025-10-01', '2026-02-01'];
    for (const date of dates) {
      await table.write(entryWrite(org, trailsOf(FINGERPRINT), newId(at(date)), { f: 'x', t: date }));
    }
    const all = [presence('x', '2024-11-30', '2026-02-01')];
    const trails = await readOlderTrails(table, org, FINGERPRINT, all, 100);
    expect(trails).toEqual(dates.toReversed().map((trail) => ({ flow: 'x', trail })));
    expect(await readOlderTrails(table, org, FINGERPRINT, all, 2)).toEqual(trails.slice(0, 2));
    const later = [presence('x', '2025-09-01', '2026-02-01'), presence('y', '2024-11-30', '2024-11-30')];
    expect(await readOlderTrails(table, org, FINGERPRINT, later, 100)).toEqual(trails.slice(0, 3));
  });

  it('are read up to the limit, however many older trails there are', async () => {
    const fingerprint = testFingerprint('b'.repeat(64));
    const entries = Array.from({ length: 120 }, (_, i) => {
      const write = entryWrite(org, trailsOf(fingerprint), newId(micros(at('2026-01-01') + i * 1_000)), {
        f: 'x',
        t: `t-${i}`,
      });
      return 'put' in write ? write.put : [];
    });
    await table.putMany(entries.flat());
    let read = 0;
    const counting = tableAround(table, async (_, send) => {
      const answer = (await send()) as { output: { Items: unknown[] } };
      read += answer.output.Items.length;
      return answer;
    });
    const all = [presence('x', '2026-01-01', '2026-01-02')];
    const trails = await readOlderTrails(counting, org, fingerprint, all, 10);
    expect(trails.map(({ trail }) => trail)).toEqual(Array.from({ length: 10 }, (_, i) => `t-${119 - i}`));
    expect(read).toBe(10);
  });

  it('are found for presences whose reports were stored in another order than their times', async () => {
    const fingerprint = testFingerprint('c'.repeat(64));
    await table.write(entryWrite(org, trailsOf(fingerprint), newId(at('2026-01-01')), { f: 'x', t: 'a' }));
    await table.write(entryWrite(org, trailsOf(fingerprint), newId(at('2026-01-02')), { f: 'x', t: 'b' }));
    const stored = [presence('x', '2026-01-02', '2026-01-01')];
    const trails = await readOlderTrails(table, org, fingerprint, stored, 100);
    expect(trails.map(({ trail }) => trail)).toEqual(['b', 'a']);
  });

  it('do not exist if every flow has only one trail with the artifact', async () => {
    expect(await readOlderTrails(table, org, FINGERPRINT, [presence('x', '2025-01-01', '2025-01-01')], 100)).toEqual(
      [],
    );
    expect(await readOlderTrails(table, org, FINGERPRINT, [], 100)).toEqual([]);
  });
});
