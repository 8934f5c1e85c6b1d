import { describe, expect, it } from 'vitest';
import { allowListSentence, rowsByFingerprint } from '#console/environment/model/allow-list.ts';
import type { AllowedEntry, SnapshotRow } from '#console/environment/operations.ts';
import { aRow } from './a-snapshot-row.ts';

const entry = (name: string): AllowedEntry => ({
  artifact_fingerprint: name.padEnd(64, '0'),
  artifact_name: name,
  description: 'hotfix',
  created_at: 100,
  created_by: 'ann',
});
const row = (name: string, allowed: boolean, more: Partial<SnapshotRow> = {}): SnapshotRow =>
  aRow(name, { allowed, ...more });
const page = (names: readonly string[], next: string | null = null) => ({
  entries: names.map(entry),
  next_cursor: next,
});

describe('the sentence of an allow-list', () => {
  it('says that nothing is on it', () => {
    expect(allowListSentence(page([]), true, [row('a', false)])).toBe(
      'The allow-list is empty: the policies alone decide what may run here.',
    );
  });

  it('says how many entries there are, and which of the artifacts run', () => {
    expect(allowListSentence(page(['a', 'b', 'c']), true, [row('a', true), row('b', true), row('x', false)])).toBe(
      '3 artifacts may run here whatever the policies say. 2 of the allowed artifacts run now: a and b.',
    );
    expect(allowListSentence(page(['a', 'b']), true, [row('x', false)])).toBe(
      '2 artifacts may run here whatever the policies say. None of the allowed artifacts runs now.',
    );
    expect(allowListSentence(page(['a']), true, [row('a', true)])).toBe(
      '1 artifact may run here whatever the policies say. It runs now.',
    );
  });

  it('counts an artifact that was allowed after the newest snapshot', () => {
    expect(allowListSentence(page(['a']), true, [row('a', false)])).toContain('It runs now.');
  });

  it('leaves out what runs while that is not known', () => {
    expect(allowListSentence(page(['a']), true, undefined)).toBe('1 artifact may run here whatever the policies say.');
  });

  it('counts only the entries of the page if there are other pages', () => {
    expect(allowListSentence(page(['a', 'b'], 'next'), true, undefined)).toBe(
      '2 entries of the allow-list are on this page.',
    );
    expect(allowListSentence(page(['a']), false, [row('x', true)])).toBe(
      '1 entry of the allow-list is on this page. 1 of the allowed artifacts runs now: x.',
    );
  });
});

it('lets the first of several rows with one fingerprint stand for all', () => {
  const rows = [row('a', true), row('a', true, { flow_name: 'other' })];
  expect(rowsByFingerprint(rows).get('a'.padEnd(64, '0'))?.flow_name).toBe('web');
});
