import { describe, expect, it } from 'vitest';
import {
  approvalText,
  changesSentence,
  changeText,
  instantText,
  laneOf,
  namedBegins,
  versionOf,
} from '../../../console/environment/model/changes.ts';
import { viewOf } from '../../../console/environment/model/view.ts';
import type { EnvironmentChange, EnvironmentChanges } from '../../../console/environment/operations.ts';

type Side = NonNullable<EnvironmentChange['after']>;
const aSide = (more: Partial<Side> = {}): Side => ({
  fingerprint: 'a'.repeat(64),
  name: 'registry.example/worker:9',
  state: true,
  allowed: false,
  instances: 1,
  flow_name: null,
  trail_name: null,
  git_commit: null,
  commit_url: null,
  author: null,
  message: null,
  html_url: null,
  ...more,
});
const aChange = (more: Partial<EnvironmentChange> = {}): EnvironmentChange => ({
  kind: 'replaced',
  before: aSide(),
  after: aSide({ name: 'registry.example/worker:10', fingerprint: 'b'.repeat(64) }),
  at: 150,
  snapshot_index: 2,
  code_diff: null,
  approvals: [],
  notified: [],
  ...more,
});
const anApproval = (by: string, isFor = true): EnvironmentChange['approvals'][number] => ({
  kind: 'pull_request',
  by,
  at: null,
  is_compliant: isFor,
  attestation_name: 'review',
  attestation_id: 'x',
  control: null,
  url: null,
  reason: null,
  signer: null,
});
const edge = (state: boolean | null) => ({ snapshot_index: 1, at: 1, state, html_url: '' });
const found = (changes: EnvironmentChange[], more: Partial<EnvironmentChanges> = {}): EnvironmentChanges => ({
  page: 1,
  per_page: 50,
  total_pages: 1,
  total_count: changes.length,
  _links: { self: { href: '' } },
  changes,
  environment: 'prod',
  from: 100,
  to: 200,
  before: edge(true),
  after: edge(true),
  first_snapshot_at: null,
  last_compliant_at: null,
  totals: { replaced: 0, started: 0, stopped: 0, judged: 0, scaled: 0 },
  only_between: 0,
  notified: [],
  notified_complete: true,
  ...more,
});

describe('versionOf', () => {
  it('is the tag, else the trail, the commit or the fingerprint', () => {
    expect(versionOf(aSide())).toBe('9');
    const digest = { name: 'worker:aaaaaaa', trail_name: 'release-10' };
    expect(versionOf(aSide(digest))).toBe('release-10');
    expect(versionOf(aSide({ name: 'worker', git_commit: 'c0ffee0123' }))).toBe('c0ffee0');
    expect(versionOf(aSide({ name: 'registry:5000/worker' }))).toBe('aaaaaaa');
  });
});

describe('changeText', () => {
  it('names both versions, and what started, stopped, scaled or was judged anew', () => {
    expect(changeText(aChange())).toBe('worker 9 → 10');
    expect(changeText(aChange({ kind: 'started', before: null }))).toBe('worker 10 started');
    expect(changeText(aChange({ kind: 'stopped', after: null }))).toBe('worker 9 stopped');
    expect(changeText(aChange({ kind: 'scaled', after: aSide({ instances: 3 }) }))).toBe('worker 1 → 3 instances');
    expect(changeText(aChange({ kind: 'judged', after: aSide({ state: false }) }))).toBe(
      'worker was compliant, is not compliant',
    );
  });

  it('tells versions with equal names apart by their fingerprints', () => {
    const [before, after] = [aSide({ trail_name: 'run' }), aSide({ trail_name: 'run', fingerprint: 'b'.repeat(64) })];
    expect(changeText(aChange({ before, after }))).toBe('worker aaaaaaa → bbbbbbb');
  });
});

describe('changesSentence', () => {
  it('says what changed since when, and who allowed it', () => {
    const changes = [aChange({ approvals: [anApproval('ann'), anApproval('eve', false), anApproval('ann')] })];
    expect(changesSentence(found(changes), 'Mon')).toBe('1 artifact changed since Mon: worker 9 → 10, allowed by ann.');
  });

  it('says the verdict first if it is bad or new', () => {
    const changes = [aChange()];
    expect(changesSentence(found(changes, { after: edge(false) }), 'Mon')).toMatch(
      /^Not compliant now, compliant before\. /,
    );
    expect(changesSentence(found(changes, { before: edge(false), after: edge(false) }), 'Mon')).toMatch(
      /^Not compliant\. /,
    );
    expect(changesSentence(found(changes, { before: edge(false) }), 'Mon')).toMatch(/^Compliant again\. /);
  });

  it('counts what scaled apart', () => {
    const totals = { replaced: 1, started: 0, stopped: 0, judged: 0, scaled: 1 };
    const scaled = aChange({ kind: 'scaled', after: aSide({ instances: 3 }) });
    expect(changesSentence(found([aChange(), scaled], { totals }), 'Mon')).toBe(
      '1 artifact changed since Mon: worker 9 → 10. 1 artifact scaled.',
    );
    expect(changesSentence(found([scaled], { totals: { ...totals, replaced: 0 } }), 'Mon')).toBe(
      'Only instances changed since Mon: worker 1 → 3 instances.',
    );
  });

  it('says that nothing changed, and what ran only in between', () => {
    expect(changesSentence(found([]), 'Mon')).toBe('Nothing changed since Mon.');
    expect(changesSentence(found([], { only_between: 2 }), 'Mon')).toContain(
      '2 artifacts ran only in between and are gone.',
    );
  });

  it('says that nothing had been reported yet', () => {
    expect(changesSentence(found([], { before: null, after: null }), 'Mon')).toBe('Nothing was ever reported here.');
    expect(changesSentence(found([], { before: null, after: null, first_snapshot_at: 300 }), 'Mon')).toBe(
      'Nothing had been reported yet at the end of this period.',
    );
    expect(changesSentence(found([aChange()], { before: null }), 'Mon')).toContain(
      'The first report came in this period.',
    );
  });
});

describe('approvalText', () => {
  it('says what somebody decided, and who signed it', () => {
    const decision = { ...anApproval('ann'), kind: 'decision' as const, control: 'C-1' };
    expect(approvalText(decision)).toBe('C-1: allowed');
    expect(approvalText({ ...decision, is_compliant: false, signer: 'release' })).toBe(
      'C-1: denied, signed by release',
    );
  });
});

describe('laneOf', () => {
  const period = { from: 100, to: 200 };
  it('turns when the change happened', () => {
    expect(laneOf(aChange({ before: aSide({ state: false }) }), period)).toEqual([
      { from: 100, to: 150, state: 'non-compliant' },
      { from: 150, to: 200, state: 'compliant' },
    ]);
    expect(laneOf(aChange({ before: null }), period)).toEqual([{ from: 150, to: 200, state: 'compliant' }]);
  });
});

describe('periods of changes', () => {
  it('begin at a midnight in UTC, written as a date', () => {
    const now = Date.parse('2026-11-24T09:30:00Z') / 1000;
    expect(namedBegins(now).map(({ from }) => from)).toEqual(['2026-11-23', '2026-11-17']);
    expect(instantText(now)).toBe('2026-11-24T09:30:00Z');
  });
});

describe('viewOf', () => {
  it('shows what changed, unless the address filters the artifacts', () => {
    expect(viewOf({})).toBe('changes');
    expect(viewOf({ state: 'unknown' })).toBe('running');
    expect(viewOf({ tab: 'events', q: 'x' })).toBe('events');
  });
});
