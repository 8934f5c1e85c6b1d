import { describe, expect, it } from 'vitest';
import { commandOfExport, commandsOfAllowList } from '#console/environment/model/environment-commands.ts';
import { eventDetail, eventVerb } from '#console/environment/model/environment-events.ts';
import { environmentListSentence } from '#console/environment/model/environment-list.ts';
import { policiesSentence } from '#console/environment/model/environment-policies.ts';
import { settingsSentence } from '#console/environment/model/environment-settings.ts';
import { lastDays, snapshotIntervals } from '#console/environment/model/environment-timeline.ts';
import type { Environment, Snapshot } from '#console/environment/operations.ts';
import { policyLines } from '#console/policy/model/policy-rules.ts';

const environments = (states: Record<string, boolean | null>) =>
  Object.entries(states).map(([name, state]) => ({ name, state }) as Environment);

describe('the list of environments', () => {
  const page = (states: Record<string, boolean | null>, total: number) => ({
    environments: environments(states),
    total,
    page: 1,
    perPage: 50,
    pageCount: 1,
  });

  it('counts states, and says if it shows only a page', () => {
    expect(environmentListSentence(page({ a: false, b: true, c: null }, 3), false)).toBe(
      '3 environments: 1 not compliant, 1 compliant, 1 unknown.',
    );
    expect(environmentListSentence(page({ a: true }, 80), false)).toBe(
      '80 environments. Of the 1 on this page: 1 compliant.',
    );
    expect(environmentListSentence(page({}, 0), true)).toBe('No environment fits the filter.');
  });
});

describe('snapshots on a time axis', () => {
  it('last until the next one, the newest until now, and keep unknown verdicts', () => {
    const summary = (index: number, from: number, to: number, state: boolean | null) => ({
      ...{ index, from, to, state, compliant: state === true, duration: 0 },
    });
    const now = 100 * 86_400;
    const found = snapshotIntervals(
      [summary(3, now - 50, 0, null), summary(2, now - 90, now - 50, false), summary(1, 0, 10, true)],
      lastDays(90, now),
    );
    expect(found).toEqual([
      { index: 2, from: now - 90, to: now - 50, state: 'non-compliant' },
      { index: 3, from: now - 50, to: now, state: 'unknown' },
    ]);
  });
});

describe('the policies of an environment', () => {
  const rule = { type: 'trail-compliance' as const, definition: { required: true, exceptions: [] } };
  const artifact = (compliant: boolean, satisfied: boolean | null) => ({
    compliant,
    annotation: { type: 'unchanged', was: 1, now: 1 },
    policy_decisions: [
      {
        policy_name: 'strict',
        policy_version: 2,
        status: 'COMPLIANT',
        rule_evaluations: [{ rule, satisfied, ignored: false, resolutions: [] }],
      },
    ],
  });
  const snapshot = {
    artifacts: [artifact(true, true), artifact(false, false), artifact(true, false), artifact(true, null)],
    applied_policies: [
      {
        name: 'strict',
        version: 2,
        failing_artifacts: [{ name: 'a', fingerprint: 'f' }],
        policy_dump: {
          artifacts: {
            provenance: { required: false, exceptions: [] },
            trail_compliance: { required: true, exceptions: [{ if_condition: { text: 'flow.name == "x"' } }] },
            attestations: [],
          },
        },
      },
    ],
  } as unknown as Snapshot;

  it('have their rules counted: satisfied, failing, allowed, and not applied', () => {
    expect(policyLines(snapshot)[0]?.rules).toEqual([
      {
        text: 'Compliant in its trail',
        conditions: ['except if flow.name == "x"'],
        ...{ satisfied: 1, failing: 1, allowed: 1, notApplied: 1 },
      },
    ]);
  });

  it('have their rules about SBOMs counted', () => {
    const denied = { purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' };
    const [policy] = snapshot.applied_policies;
    const [first] = snapshot.artifacts;
    const rule = { type: 'denied-component', definition: { ...denied, if: null } };
    const evaluated = { rule, satisfied: false, ignored: false, resolutions: [] };
    const decision = {
      policy_name: 'strict',
      policy_version: 2,
      status: 'NON-COMPLIANT',
      rule_evaluations: [evaluated],
    };
    const artifacts = {
      ...policy?.policy_dump.artifacts,
      trail_compliance: { required: false, exceptions: [] },
      sbom: { required: true, exceptions: [], grade: 'signed', signed_by: ['ci'] },
      components: { deny: [{ ...denied, if_condition: null }] },
    };
    const other = {
      artifacts: [{ ...first, compliant: false, policy_decisions: [decision] }],
      applied_policies: [{ ...policy, policy_dump: { artifacts } }],
    } as unknown as Snapshot; // only what the lines read
    expect(policyLines(other)[0]?.rules).toMatchObject([
      { text: 'An SBOM that can be read, signed by ci, of grade signed or higher', failing: 0 },
      { text: 'No SBOM lists pkg:npm/lodash in vers:npm/<4.17.21', failing: 1 },
    ]);
  });

  it('are summed up in a sentence', () => {
    expect(policiesSentence({ policies: ['strict'] }, snapshot)).toBe(
      '1 policy is attached. What runs here does not satisfy strict (1 artifact).',
    );
    expect(policiesSentence({ policies: [] }, snapshot)).toContain('No policy is attached');
    expect(policiesSentence({ policies: ['a', 'b'] }, null)).toBe(
      '2 policies are attached. Nothing was reported yet that they could judge.',
    );
  });
});

describe('the other views of an environment', () => {
  it('shorten what the API says of an event, and keep what they do not know', () => {
    expect(eventDetail('3 instances stopped running (from 3 to 0)')).toBe('3 → 0 instances');
    expect(eventDetail('1 instance changed')).toBe('1 instance changed');
    expect(eventVerb('exited')).toBe('Exited');
    expect(eventVerb('constructor')).toBe('constructor');
  });

  it('say what the environment is', () => {
    const plain = { type: 'K8S', policies: ['strict'], included_environments: null, tags: { team: 'a' } };
    expect(settingsSentence(plain)).toBe('A physical environment of type K8S. Judged by strict. It has 1 tag.');
    expect(settingsSentence({ ...plain, policies: [], tags: {}, included_environments: ['a', 'b'] })).toBe(
      'A logical environment with 2 members: a and b. No policy is attached.',
    );
  });

  it('quote names in commands', () => {
    const [client] = commandsOfAllowList({ host: 'http://localhost', org: 'acme', env: "o'neill" });
    expect(client?.text).toContain(`--environment 'o'\\''neill'`);
  });
});

it('names the organization in the command of an export', () => {
  expect(commandOfExport({ host: 'http://localhost', org: 'acme' })).toContain(
    'curl -X POST http://localhost/api/v2/exports/acme',
  );
});
