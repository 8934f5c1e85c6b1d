import { describe, expect, test } from 'vitest';
import type { FlowId, TrailId } from '#shared/base/ids.ts';
import {
  contentText,
  readContentText,
  type SnapshotContent,
  type SnapshotRow,
} from '#shared/environments/rules/content.ts';
import { evaluatePolicy } from '#shared/policies/rules/evaluate.ts';
import { readStoredPolicy } from '#shared/policies/rules/policy.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';
import { POLICY_HEADER } from '#test/support/policies.ts';

const content = readStoredPolicy(
  `${POLICY_HEADER}artifacts:\n  provenance: {required: true}\n  attestations:\n    - {type: generic, name: scan, if: 'flow.name == "web"'}\n`,
);

const flowRow = (reasons: string[]): SnapshotRow['flows'][number] => ({
  ...{
    flow: testId<FlowId>('f'),
    name: 'web',
    trail: testId<TrailId>('t'),
    trailName: 'trail-1',
    commit: 'c',
    slot: 'web',
    report: 'r',
  },
  status: 'INCOMPLETE',
  compliant: false,
  reasons,
});

const row = (name: string): SnapshotRow => ({
  ...{
    name,
    fingerprint: testFingerprint('a'.repeat(64)),
    started: [1, 2],
    flows: [],
    decisions: 'd',
    compliant: null,
    allowed: false,
  },
  annotation: { type: 'started', was: 0, now: 2 },
  evaluations: [
    evaluatePolicy({ name: 'p', version: 1, content }, { name, fingerprint: '', contexts: [] }, () => 'missing'),
  ],
  replaced: {},
});

describe('the text of a content', () => {
  test('is read back to an equal content', () => {
    const made: SnapshotContent = {
      rows: [
        row('a'),
        { ...row('__proto__'), flows: [flowRow(['one', 'two']), flowRow([]), flowRow(['two', '', '0'])] },
        { ...row('c'), evaluations: [], environment: testId('member') },
      ],
      policies: [],
      members: { member: 3 },
    };
    expect(readContentText(contentText(made))).toEqual(made);
    const empty: SnapshotContent = { rows: [], policies: [] };
    expect(readContentText(contentText(empty))).toEqual(empty);
  });

  test('holds each rule once for any number of artifacts', () => {
    const text = contentText({ rows: Array.from({ length: 50 }, (_, i) => row(`a${i}`)), policies: [] });
    expect(text.split('"trail-compliance"').length - 1).toBe(1);
    expect(text.split('flow.name').length - 1).toBe(1);
  });

  test('holds each reason once for any number of artifacts', () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({ ...row(`a${i}`), flows: [flowRow(['scan is missing'])] }));
    expect(contentText({ rows, policies: [] }).split('scan is missing').length - 1).toBe(1);
  });

  test('is read in the old form too, in which rows hold the reasons', () => {
    const made: SnapshotContent = { rows: [{ ...row('a'), flows: [flowRow(['one', 'two'])] }], policies: [] };
    const { rows, reasons, ...rest } = JSON.parse(contentText(made)) as { rows: object[]; reasons: string[] };
    expect(reasons).toEqual(['one', 'two']);
    const before = { ...rest, rows: rows.map((one) => ({ ...one, flows: made.rows[0]?.flows })) };
    expect(readContentText(JSON.stringify(before))).toEqual(made);
  });

  test('is refused if it names a reason that it does not hold', () => {
    const text = contentText({ rows: [{ ...row('a'), flows: [flowRow(['one'])] }], policies: [] });
    expect(() => readContentText(text.replace('"reasons":["one"]', '"reasons":[]'))).toThrow('names reason 0 of 0');
  });

  test('is refused if it names a rule that it does not hold', () => {
    const text = contentText({ rows: [row('a')], policies: [] });
    const { rules: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    expect(() => readContentText(JSON.stringify({ ...rest, rules: [] }))).toThrow('names rule 0 of 0');
  });
});
