import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FlowId, TrailId } from '#shared/base/ids.ts';
import { EPOCH } from '#shared/base/time.ts';
import type { AttachedPolicy } from '#shared/environments/attached-policies.ts';
import { type Evaluation, evaluateArtifact } from '#shared/environments/evaluate.ts';
import { nextSnapshot, runningRows } from '#shared/environments/next-content.ts';
import type { RowFlow } from '#shared/environments/rules/content.ts';
import { artifactKey, type RunningArtifact, runningSetDigest } from '#shared/environments/rules/running.ts';
import { readStoredPolicy } from '#shared/policies/rules/policy.ts';
import { testFingerprint, testId, testName } from '#test/support/ids.ts';
import { policyText, STRICT } from '#test/support/policies.ts';

type Evaluated = RunningArtifact & Evaluation;

const place = (flow: string, slot: string, trail = 't'): RowFlow => ({
  ...{
    flow: testId<FlowId>(flow),
    name: testName(flow),
    trail: testId<TrailId>(trail),
    trailName: testName(trail),
    commit: `commit-${trail}`,
    slot,
    report: `${flow}-${slot}-${trail}`,
  },
  status: 'COMPLIANT',
  compliant: true,
  reasons: [],
});

const artifact = (name: string, more: Partial<Evaluated> = {}): Evaluated => ({
  name,
  fingerprint: testFingerprint(`f-${name}`),
  started: [1],
  flows: [],
  decisions: 'd',
  evaluations: [],
  compliant: null,
  allowed: false,
  freshUntil: null,
  ...more,
});

const policy = (text: string): AttachedPolicy => ({
  id: testId('p'),
  name: 'p',
  version: 1,
  content: readStoredPolicy(text),
});

describe('the next snapshot', () => {
  test('is needed if there is none yet, and is empty if nothing runs', () => {
    expect(nextSnapshot(null, [], [])).toEqual({
      content: { rows: [], policies: [] },
      state: null,
      compliant: false,
      events: 0,
      digest: runningSetDigest([]),
      needed: true,
      freshUntil: null,
    });
    expect(nextSnapshot({ rows: [], policies: [] }, [], [])).toMatchObject({ needed: false });
  });

  test('is compliant under a policy if nothing runs, and not if one artifact fails', () => {
    const strict = [policy(STRICT)];
    expect(nextSnapshot(null, [], strict)).toMatchObject({ state: true, compliant: true });
    const now = [artifact('a', { compliant: true }), artifact('b', { compliant: false })];
    expect(nextSnapshot(null, now, strict)).toMatchObject({ state: false, compliant: false });
  });

  test('ignores artifacts that have stopped', () => {
    const strict = [policy(STRICT)];
    const first = nextSnapshot(null, [artifact('bad', { compliant: false })], strict);
    const second = nextSnapshot(first.content, [], strict);
    expect(second).toMatchObject({ state: true, needed: true, events: 1 });
    expect(second.content.rows).toMatchObject([{ name: 'bad', annotation: { type: 'exited', was: 1, now: 0 } }]);
    expect(nextSnapshot(second.content, [], strict)).toMatchObject({ needed: false, content: { rows: [] } });
  });

  test('names the applied policies with their versions', () => {
    const { content } = nextSnapshot(null, [], [policy(policyText())]);
    expect(content.policies).toMatchObject([{ id: 'p', name: 'p', version: 1, dump: { schema_version: '1' } }]);
  });

  const running = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      fingerprint: fc.constantFrom('' as const, testFingerprint('f'), testFingerprint('g')),
      started: fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }),
      compliant: fc.constantFrom(true, false, null),
      flows: fc.subarray([place('x', 's'), place('y', 's'), place('x', 't', 'other')]),
    }),
    { selector: artifactKey },
  );

  test('has one event per row that is not unchanged, and its running rows are the reported artifacts', () => {
    fc.assert(
      fc.property(fc.array(running, { minLength: 1, maxLength: 6 }), (reports) => {
        let before: Parameters<typeof nextSnapshot>[0] = null;
        for (const report of reports) {
          const now = report.map(({ name, ...rest }) => artifact(name, rest));
          const next = nextSnapshot(before, now, []);
          const changed = next.content.rows.filter(({ annotation }) => annotation.type !== 'unchanged');
          expect(changed).toHaveLength(next.events);
          expect(next.needed).toBe(before === null || next.events > 0);
          expect(runningRows(next.content).map(artifactKey).sort()).toEqual(now.map(artifactKey).sort());
          expect(next.digest).toBe(runningSetDigest(runningRows(next.content)));
          for (const { replaced, fingerprint } of runningRows(next.content)) {
            for (const other of Object.values(replaced)) expect(other.fingerprint).not.toBe(fingerprint);
          }
          if (next.needed) before = next.content;
        }
      }),
    );
  });
});

describe('the artifact that another one replaced', () => {
  const from = (rows: Evaluated[], now: Evaluated[]) => {
    const { content } = nextSnapshot(nextSnapshot(null, rows, []).content, now, []);
    return (name: string) => content.rows.find((row) => row.name === name)?.replaced;
  };

  test('has the same flow and slot', () => {
    const old = [
      artifact('same', { flows: [place('x', 's')] }),
      artifact('slot', { flows: [place('x', 'other')] }),
      artifact('flow', { flows: [place('other', 's')] }),
    ];
    const replaced = from(old, [artifact('new', { flows: [place('x', 's', 'later'), place('z', 's')] })]);
    expect(replaced('new')).toEqual({
      x: {
        fingerprint: 'f-same',
        name: 'same',
        compliant: null,
        running: false,
        trailName: 't',
        commit: 'commit-t',
        slot: 's',
        report: 'x-s-t',
      },
    });
  });

  test('has stopped rather than still runs, and has the latest start', () => {
    const flows = [place('x', 's')];
    const old = [
      artifact('running', { flows, started: [9] }),
      artifact('older', { flows, started: [1, 2] }),
      artifact('newer', { flows, started: [1, 5] }),
    ];
    const [running] = old;
    if (!running) throw new Error('nothing runs');
    expect(from(old, [running, artifact('new', { flows })])('new')?.['x']).toMatchObject({ name: 'newer' });
    expect(from([running], [running, artifact('new', { flows })])('new')?.['x']).toMatchObject({
      name: 'running',
      running: true,
    });
  });

  test('never has the same fingerprint under another name', () => {
    const flows = [place('x', 's')];
    const replaced = from(
      [artifact('old', { flows, fingerprint: testFingerprint('f') })],
      [artifact('new', { flows, fingerprint: testFingerprint('f') })],
    );
    expect(replaced('new')).toEqual({});
  });
});

describe('the evaluation of an artifact', () => {
  const nothing = { verdicts: [], decisions: [], policies: [], allowed: false, at: EPOCH };
  const web = { name: 'web', fingerprint: testFingerprint('f') };

  test('is unknown without policies, unless the artifact is on the allow-list', () => {
    expect(evaluateArtifact(web, nothing)).toMatchObject({ compliant: null, evaluations: [], allowed: false });
    expect(evaluateArtifact(web, { ...nothing, allowed: true })).toMatchObject({ compliant: true, allowed: true });
  });

  test('has equal digests for equal decisions, and different digests for different ones', () => {
    const policies = [policy(STRICT)];
    const one = evaluateArtifact(web, { ...nothing, policies });
    expect(one).toMatchObject({ compliant: false });
    expect(evaluateArtifact(web, { ...nothing, policies: [policy(STRICT)], allowed: true })).toEqual({
      ...one,
      compliant: true,
      allowed: true,
    });
    const lax = evaluateArtifact(web, { ...nothing, policies: [policy(policyText())] });
    expect(lax.decisions).not.toBe(one.decisions);
    expect(one.decisions).toMatch(/^[0-9a-f]{64}$/);
  });
});
