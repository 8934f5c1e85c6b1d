import { describe, expect, it } from 'vitest';
import {
  caseSentence,
  caseState,
  eventText,
  knownText,
  watchListSentence,
} from '#console/component/model/watch-case.ts';
import type { Watch, WatchCase } from '#console/component/watch/operations.ts';

const DAY = 86_400;

const watch: Watch = {
  name: 'cve',
  purl: 'pkg:npm/lodash',
  versions: 'vers:npm/<4.17.21',
  package: 'pkg:npm/lodash',
  vulnerability: null,
  description: null,
  known_since: null,
  known_note: null,
  known_by: null,
  known_said_at: null,
  created_at: 0,
  created_by: 'ann',
  changed_at: 0,
  changed_by: 'ann',
  asked_at: 10,
  matched_at: null,
};

const aCase = (more: Partial<WatchCase> = {}): WatchCase => ({
  watch,
  as_of: 0,
  known_since: null,
  known_from: null,
  due_at: null,
  affected_builds: 0,
  not_affected_builds: 0,
  first_affected_at: null,
  environments: [],
  stopped_at: null,
  complete: true,
  timeline: [],
  ...more,
});
const where = (environment: string, until: number | null) => ({ environment, artifacts: 1, since: 0, until });

describe('the case of a watch', () => {
  it('says where affected artifacts run, and how much of the 24 hours is left', () => {
    const found = aCase({
      affected_builds: 2,
      environments: [where('prod', null), where('staging', 5)],
      due_at: DAY,
    });
    expect(caseState(found)).toBe('affected');
    expect(caseSentence(found, DAY - 3_600)).toBe(
      'Affected artifacts run in prod. The 24 hours end in 1 h, at 2 Jan 1970, 00:00:00 UTC.',
    );
    expect(caseSentence(found, DAY + 3_600)).toContain('The 24 hours ended 1 h ago');
  });

  it('says what has stopped, and what never ran', () => {
    const stopped = aCase({ affected_builds: 1, environments: [where('prod', 5)], stopped_at: 5 });
    expect([caseState(stopped), caseSentence(stopped, 9)]).toEqual([
      'stopped',
      'Nothing affected runs since 1 Jan 1970, 00:00:05 UTC.',
    ]);
    expect(caseSentence(aCase({ affected_builds: 1 }), 9)).toBe('Nothing affected ever ran.');
    const cleared = aCase({ not_affected_builds: 2 });
    expect([caseState(cleared), caseSentence(cleared, 9)]).toEqual([
      'not-affected',
      'What holds an asked version is said not to be affected.',
    ]);
  });

  it('is never clear while something was not looked at', () => {
    expect([caseState(aCase()), caseState(aCase({ complete: false }))]).toEqual(['absent', 'unknown']);
    const unasked = aCase({ watch: { ...watch, asked_at: null } });
    expect([caseState(unasked), caseSentence(unasked, 0)]).toEqual([
      'unknown',
      'No SBOM that counts lists an asked version. The question was not put to everything yet.',
    ]);
  });

  it('says by what the organization knows', () => {
    expect(knownText(aCase())).toBe('Nobody said it, and nothing has matched.');
    expect(knownText(aCase({ known_since: 5, known_from: 'match' }))).toContain('by the first match');
    const said = { known_since: 5, known_from: 'person' as const, watch: { ...watch, known_by: 'ann' } };
    expect(knownText(aCase(said))).toBe('1 Jan 1970, 00:00:05 UTC, as ann said');
  });

  it('has a sentence for each event', () => {
    expect(eventText({ kind: 'asked', at: 0, by: 'ann' })).toBe('ann began to watch');
    expect(eventText({ kind: 'known', at: 0, by: 'ann', note: 'a mail' })).toBe(
      'The organization knows, as ann said: a mail',
    );
    expect(eventText({ kind: 'matched', at: 0 })).toBe('The watch matched for the first time');
    expect(eventText({ kind: 'matched', at: 0, environment: 'prod' })).toBe('The watch matched in prod');
    const target = { type: 'WEBHOOK' as const, host: 'hooks.example' };
    expect(eventText({ kind: 'told', at: 0, target, state: 'delivered' })).toBe(
      'A message to hooks.example was made: delivered',
    );
    expect(eventText({ kind: 'started', at: 0, environment: 'prod', artifact_name: 'app' })).toBe(
      'The first affected artifact (app) started in prod',
    );
    expect(eventText({ kind: 'fixed', at: 0, artifact_name: 'app' })).toBe('A fixed build of app was reported');
    expect(eventText({ kind: 'stopped', at: 0, environment: 'prod' })).toBe(
      'The last affected artifact stopped in prod',
    );
  });
});

it('says of a list of watches how many matched', () => {
  expect(watchListSentence([], true)).toBe('Nobody watches a component.');
  expect(watchListSentence([watch], true)).toBe('1 watch: none has matched.');
  expect(watchListSentence([watch, { ...watch, matched_at: 5 }], false)).toBe('More than 2 watches: 1 matched.');
});
