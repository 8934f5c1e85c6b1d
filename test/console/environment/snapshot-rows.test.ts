import { describe, expect, it } from 'vitest';
import {
  changedRows,
  countStates,
  filtered,
  rowsSentence,
  runningRows,
  runningSentence,
  worstFirst,
} from '#console/environment/model/snapshot-rows.ts';
import { aRow } from './a-snapshot-row.ts';

const failing = (name: string) =>
  aRow(name, {
    state: false,
    reasons: [
      {
        step: 'environment',
        name: 'prod',
        says: 'prod refuses the artifact',
        saw: null,
        html_url: '',
        compliant: false,
      },
      {
        step: 'slot',
        name: 'review',
        says: 'release-10 lacks `review`',
        saw: 'missing',
        html_url: '',
        compliant: false,
      },
    ],
    reasons_total: 1,
  });

describe('the sentence of a snapshot', () => {
  it.each([
    ['nothing runs', [], 'Nothing runs here.'],
    ['one is compliant', [aRow('a')], 'Compliant: the only running artifact.'],
    ['one is allowed', [aRow('a', { allowed: true })], 'Compliant: the only running artifact is on the allow-list.'],
    ['all are compliant', [aRow('a'), aRow('b')], 'Compliant: all 2 running artifacts.'],
    [
      'one of several is allowed',
      [aRow('a'), aRow('b', { allowed: true })],
      'Compliant: all 2 running artifacts. One of them is on the allow-list.',
    ],
    ['nothing is judged', [aRow('a', { state: null })], 'Unknown: no policy judges a.'],
    [
      'one is not judged',
      [aRow('host/b:1', { state: null }), aRow('a')],
      'Unknown: no policy judges b:1. The other artifacts are compliant.',
    ],
    [
      'one fails',
      [failing('host/shop/payments:1.9'), aRow('a')],
      'Not compliant: payments:1.9 has no review: release-10 lacks `review`.',
    ],
    [
      'two fail',
      [failing('a'), failing('b')],
      'Not compliant: a has no review: release-10 lacks `review`. 1 other artifact is not compliant either.',
    ],
    ['one fails without a reason', [aRow('a', { state: false })], 'Not compliant: a is not compliant.'],
  ])('says so if %s', (_, rows, sentence) => {
    expect(rowsSentence(rows)).toBe(sentence);
  });

  it('says since when nothing changed', () => {
    expect(runningSentence({ last_changed_at: 1000 }, [aRow('a')], 2030)).toBe(
      'Compliant: the only running artifact. Unchanged for 17 min.',
    );
  });
});

describe('the rows of a snapshot', () => {
  const rows = [
    aRow('ok'),
    failing('bad'),
    aRow('free', { allowed: true }),
    aRow('new', { state: null, flow_name: null }),
  ];

  it('stand in the order in which they need attention', () => {
    expect(worstFirst(rows).map(({ name }) => name)).toEqual(['bad', 'new', 'free', 'ok']);
  });

  it('are counted by state', () => {
    expect([...countStates(rows)]).toEqual([
      ['non-compliant', 1],
      ['unknown', 1],
      ['allowed', 1],
      ['compliant', 1],
    ]);
  });

  it.each([
    ['a state', { state: 'non-compliant' }, ['bad']],
    ['a part of the name', { text: 'EE' }, ['free']],
    ['the beginning of the digest', { text: 'bad000' }, ['bad']],
    ['a reason', { text: 'lacks `rev' }, ['bad']],
    ['a trail', { text: 'release-1', state: 'compliant' }, ['ok']],
    ['nothing', {}, ['ok', 'bad', 'free', 'new']],
  ])('are filtered by %s', (_, filter, names) => {
    expect(filtered(rows, filter).map(({ name }) => name)).toEqual(names);
  });

  it('leave exited artifacts out of what runs, and show them among the changes', () => {
    const artifacts = [aRow('a'), aRow('b', { instances: 0, change: 'exited' })];
    expect(runningRows({ artifacts }).map(({ name }) => name)).toEqual(['a']);
    expect(changedRows({ artifacts }).map(({ name }) => name)).toEqual(['b']);
  });
});
