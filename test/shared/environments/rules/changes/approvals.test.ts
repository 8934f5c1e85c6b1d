import { describe, expect, it } from 'vitest';
import { pullRequestApprovals } from '#shared/environments/rules/changes/approvals.ts';

const approvals = (reported: unknown) =>
  pullRequestApprovals(reported, { id: 'x', name: 'review', compliant: true }).map(({ by, at, url }) => [by, at, url]);

describe('pullRequestApprovals', () => {
  it('reads the reviewers of both generations of clients', () => {
    expect(
      approvals([
        { url: 'https://git.example/1', approvers: ['ann'] },
        { url: '', approvers: [{ username: 'bob', state: 'approved', timestamp: 5 }] },
      ]),
    ).toEqual([
      ['ann', null, 'https://git.example/1'],
      ['bob', 5_000_000, null],
    ]);
  });

  it('leaves out reviews that do not approve', () => {
    const approvers = ['COMMENTED', 'CHANGES_REQUESTED', 'DISMISSED'].map((state) => ({ username: 'eve', state }));
    expect(approvals([{ url: '', approvers }])).toEqual([]);
  });

  it.each([[undefined], [null], ['x'], [[null]], [[{ approvers: [null, 1, '', { username: 7 }] }]]])(
    'finds nobody in %j',
    (reported) => {
      expect(approvals(reported)).toEqual([]);
    },
  );
});
