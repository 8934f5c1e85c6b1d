import { describe, expect, test } from 'vitest';
import type { FlowId, TrailId } from '#shared/base/ids.ts';
import { EPOCH } from '#shared/base/time.ts';
import { decisionsOf, type SnapshotContent, type SnapshotRow } from '#shared/environments/rules/content.ts';
import { contentText, readContentText } from '#shared/environments/rules/content-text.ts';
import { policyJudge } from '#shared/policies/rules/evaluate.ts';
import { readStoredPolicy } from '#shared/policies/rules/policy.ts';
import { testFingerprint, testId, testName } from '#test/support/ids.ts';
import { POLICY_HEADER } from '#test/support/policies.ts';

const content = readStoredPolicy(
  `${POLICY_HEADER}artifacts:\n  provenance: {required: true}\n  attestations:\n    - {type: generic, name: scan, if: 'flow.name == "web"'}\n    - {type: decision, for_control: C-1}\n`,
);

const flowRow = (reasons: string[]): SnapshotRow['flows'][number] => ({
  ...{
    flow: testId<FlowId>('f'),
    name: testName('web'),
    trail: testId<TrailId>('t'),
    trailName: testName('trail-1'),
    commit: 'c',
    slot: 'web',
    report: 'r',
  },
  status: 'INCOMPLETE',
  compliant: false,
  reasons,
});

/** A row as the evaluation makes it. */
function row(name: string, { flows = [], ...more }: Partial<SnapshotRow> = {}): SnapshotRow {
  const contexts = flows.map(({ name: flow, trailName: trail, status: artifactStatus }) => ({
    ...{ flow: { name: flow, tags: {} }, trail, artifactStatus, entries: [], attestedAt: () => EPOCH },
  }));
  const judge = policyJudge({ name: 'p', version: 1, content }, EPOCH);
  const made = readContentText(
    contentText({
      rows: [
        {
          ...{ name, fingerprint: testFingerprint('a'.repeat(64)), started: [1, 2], flows, decisions: '' },
          ...{ compliant: null, allowed: false, replaced: {}, annotation: { type: 'started', was: 0, now: 2 } },
          evaluations: [judge({ name, fingerprint: '', contexts }, () => null).result],
          ...more,
        },
      ],
      policies: [],
    }),
  );
  const [only] = made.rows;
  if (!only) throw new Error('The content has no row');
  return only;
}

const countOf = (text: string, part: string) => text.split(part).length - 1;

describe('the text of a content', () => {
  test('is read back to an equal content', () => {
    const made: SnapshotContent = {
      rows: [
        row('a'),
        row('__proto__', { flows: [flowRow(['one', 'two']), flowRow([]), flowRow(['two', '', '0'])] }),
        row('c', { evaluations: [], environment: testId('member') }),
      ],
      policies: [],
      members: { member: 3 },
    };
    expect(readContentText(contentText(made))).toEqual(made);
    expect(contentText(readContentText(contentText(made)))).toBe(contentText(made));
    const empty: SnapshotContent = { rows: [], policies: [] };
    expect(readContentText(contentText(empty))).toEqual(empty);
  });

  test('holds each rule, each result and each reason once for any number of artifacts', () => {
    const rows = Array.from({ length: 50 }, (_, i) => row(`a${i}`, { flows: [flowRow(['scan is missing'])] }));
    const text = contentText({ rows, policies: [] });
    expect([countOf(text, '"trail-compliance"'), countOf(text, 'flow.name'), countOf(text, 'scan is missing')]).toEqual(
      [1, 1, 1],
    );
    const { results, judges } = JSON.parse(text) as Record<string, unknown>;
    expect(results).toEqual([[0, 's-mm']]);
    expect(judges).toEqual([{ policy_name: 'p', policy_version: 1, rules: [0, 1, 2, 3] }]);
  });

  test('gives rows with equal results the same object', () => {
    const { rows } = readContentText(contentText({ rows: [row('a'), row('b')], policies: [] }));
    expect(rows[0]?.evaluations[0]).toBe(rows[1]?.evaluations[0]);
  });

  test('is read in the former forms too, with the same decisions', () => {
    const made = row('a', {
      flows: [flowRow(['one', 'two']), { ...flowRow([]), name: testName('api'), status: 'COMPLIANT' }],
    });
    const decisions = decisionsOf(made);
    const {
      results: _,
      judges: __,
      reasons,
      rules,
      rows: packed,
      ...rest
    } = JSON.parse(contentText({ rows: [made], policies: [] })) as {
      rows: object[];
      reasons: string[];
      rules: object[];
      results: unknown;
      judges: unknown;
    };
    const evaluations = decisions.map(({ rule_evaluations, ...decision }) => ({
      ...decision,
      rule_evaluations: rule_evaluations.map((evaluation, rule) => ({ ...evaluation, rule })),
    }));
    const former = packed.map((one) => ({ ...one, decisions: 'a digest of another form', evaluations }));
    const read = (rows: object[]) => readContentText(JSON.stringify({ ...rest, rules, reasons, rows }));
    expect(read(former)).toEqual({ rows: [made], policies: [] });
    expect(decisionsOf(read(former).rows[0] ?? made)).toEqual(decisions);
    expect(reasons).toEqual(['one', 'two']);
    expect(read(former.map((one) => ({ ...one, flows: made.flows })))).toEqual({ rows: [made], policies: [] });
  });

  test.each([
    ['"reasons":["one"]', '"reasons":[]', 'names reason 0 of 0'],
    [/"rules":\[\{.*\}\]/u, '"rules":[]', 'names rule 0 of 0'],
    [/"results":\[\[.*?\]\]/u, '"results":[]', 'names result 0 of 0'],
    [/"results":\[\[.*?\]\]/u, '"results":[[7,"s"]]', 'names policy 7 of 1'],
  ])('is refused if it has lost what a row names: %s', (whole, without, problem) => {
    const text = contentText({ rows: [row('a', { flows: [flowRow(['one'])] })], policies: [] });
    expect(() => readContentText(text.replace(whole, without))).toThrow(problem);
  });
});
