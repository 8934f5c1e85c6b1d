import { describe, expect, it } from 'vitest';
import type { Flow } from '#console/client/flows.ts';
import type { Deployments } from '#console/client/repos.ts';
import type { Found, FoundArtifact } from '#console/client/search.ts';
import type { CustomType, TypeVersion } from '#console/client/types.ts';
import { artifactListSentence } from '#console/model/artifact-list.ts';
import { attestationListSentence, isScanned } from '#console/model/attestation-list.ts';
import { buildListSentence, buildsPerDay } from '#console/model/builds.ts';
import { flowListSentence } from '#console/model/flow-list.ts';
import { foundChoices, withoutDoubles } from '#console/model/palette.ts';
import { deploymentsSentence, repoListSentence, repoSentence } from '#console/model/repos.ts';
import { day, daysPeriod } from '#console/model/search-params.ts';
import { byPresence, groupsOf, isDigest, mayBeDigest, searchSentence } from '#console/model/search-results.ts';
import { typeListSentence, typeSentence } from '#console/model/types.ts';

describe('flows', () => {
  const flow = (name: string, word: string | null) => ({ name, latest_state: word }) as Flow;

  it('are named where something is wrong', () => {
    expect(flowListSentence([flow('web', 'COMPLIANT'), flow('pay', 'NON-COMPLIANT')], 2, false)).toBe(
      '2 flows. The latest trail of pay is not compliant.',
    );
  });

  it('without a trail are no problem', () => {
    expect(flowListSentence([flow('web', null)], 1, false)).toBe('1 flow. No flow has a latest trail with a problem.');
    expect(flowListSentence([], 0, true)).toBe('No flow fits the filter.');
  });
});

describe('lists of evidence', () => {
  it('count what is not compliant', () => {
    const shown = [{ is_compliant: true }, { is_compliant: false }];
    expect(attestationListSentence(shown, 205, false)).toBe(
      '205 attestations. Of the 2 on this page 1 is not compliant.',
    );
    expect(attestationListSentence(shown, null, true)).toContain('on this page fit the filter');
    expect(attestationListSentence([], 0, true)).toBe('No attestation fits the filter.');
  });

  it('have cursors with the filters with which the API answers cursors', () => {
    expect(isScanned({ name: undefined, result: 'compliant' })).toBe(true);
    expect(isScanned({})).toBe(false);
  });

  it('say how many artifacts run', () => {
    const artifacts = [
      { state: 'COMPLIANT' as const, running: [{ environment_name: 'prod', snapshot_index: 1 }] },
      { state: 'INCOMPLETE' as const, running: [] },
    ];
    expect(artifactListSentence(artifacts, { isFiltered: false, page: 1 })).toBe(
      'The newest 2 reports of artifacts: 1 incomplete, 1 compliant; 1 of them runs now.',
    );
    expect(artifactListSentence([], { isFiltered: false, page: 3 })).toBe('There are no older artifacts.');
  });
});

describe('builds', () => {
  it.each([
    [{ total_count: 14, has_builds_ever: true }, {}, '14 builds in the last 28 days.'],
    [
      { total_count: 0, has_builds_ever: true },
      { repo: 'a/b', from: '2026-07-01' },
      'No build of a/b since 2026-07-01 (UTC).',
    ],
    [{ total_count: 0, has_builds_ever: false }, {}, 'Nobody has reported a build yet.'],
  ])('%o %o', (answer, filters, sentence) => {
    expect(buildListSentence(answer, filters)).toBe(sentence);
  });

  it('are counted per day in UTC, with the days without any', () => {
    const at = Date.parse('2026-11-22T00:10:00Z') / 1000;
    expect(buildsPerDay([{ created_at: at }, { created_at: at - 1200 }], 3, at)).toEqual([
      { date: '2026-11-20', count: 0 },
      { date: '2026-11-21', count: 1 },
      { date: '2026-11-22', count: 1 },
    ]);
  });
});

describe('repositories', () => {
  it('are counted', () => {
    expect(repoListSentence(1, false)).toBe('1 repository was named by reports.');
    expect(repoListSentence(4, true)).toBe('4 repositories fit the filter.');
    expect(repoSentence({ latest_activity: null }, 0)).toContain('No report has named');
  });

  it('say how fast their commits run', () => {
    const answer = (known: number) =>
      ({
        environment: 'prod',
        total_count: known,
        days: Array.from({ length: 28 }),
        lead_times: { known, median: 3600, p90: 7200, p99: 7200 },
      }) as unknown as Deployments;
    expect(deploymentsSentence(answer(5))).toBe(
      '5 deployments to prod in 28 days. Half of them ran within 1 h of their commit.',
    );
    expect(deploymentsSentence(answer(20))).toContain(', nine of ten within 2 h.');
  });
});

describe('custom types', () => {
  const version = (number: number, rules: string[]): TypeVersion => ({
    version: number,
    timestamp: 0,
    created_by: 'ann',
    type_schema: null,
    evaluator: rules.length === 0 ? { content_type: 'default' } : { content_type: 'jq', rules },
    summary: null,
  });

  it('say what decides', () => {
    const type = { archived: false, versions: [version(2, ['.a']), version(1, [])] } as unknown as CustomType;
    expect(typeSentence(type, type.versions[0])).toBe(
      'Version 2: any data is accepted, and 1 rule must be true of the reported data.',
    );
    expect(typeSentence({ ...type, archived: true }, type.versions[1])).toBe(
      'Archived: nobody can report this type any more. Version 1, which is not the newest (2): any data is accepted, and the reporter says whether it is compliant.',
    );
    expect(typeListSentence(0, false)).toBe('This organization has no attestation type of its own.');
  });
});

describe('search', () => {
  const NONE = { items: [], more: false };
  const found = (rest: Partial<Found>): Found => ({
    resolved_to: { type: 'name', full_match: 'x' },
    flows: NONE,
    environments: NONE,
    trails: NONE,
    artifacts: NONE,
    commits: NONE,
    commit_reports: NONE,
    controls: NONE,
    policies: NONE,
    repos: NONE,
    ...rest,
  });

  it('says what the text was taken for', () => {
    const policies = { items: [{ name: 'a', html_url: '' }], more: false };
    const flows = { items: Array.from({ length: 10 }, () => ({ name: 'a', html_url: '' })), more: true };
    expect(searchSentence('a', found({ policies, flows }))).toBe(
      'The names of more than 10 flows and 1 policy begin with «a».',
    );
    expect(searchSentence('zzz', found({ resolved_to: { type: 'nothing', full_match: 'zzz' } }))).toBe(
      'Nothing begins with «zzz».',
    );
  });

  it('names the trails and artifacts of a commit', () => {
    const commit = 'ab12'.repeat(10);
    const report = (trail: string, fingerprint: string) => ({
      git_commit: commit,
      name: 'app.tar',
      fingerprint,
      flow_name: 'web',
      trail_name: trail,
      html_url: '',
      trail_html_url: '',
    });
    const answer = found({
      resolved_to: { type: 'commit', full_match: commit },
      commits: { items: [commit], more: false },
      commit_reports: { items: [report('r-1', 'f1'), report('r-1', 'f2')], more: false },
    });
    expect(searchSentence(commit, answer)).toBe(`«${commit}» is a commit. It has 2 artifacts in 1 trail.`);
    expect(searchSentence('ab12a', answer)).toContain('«ab12a» is the beginning of a commit.');
    expect(groupsOf('acme', answer).map(({ title, names }) => [title, names.map(({ label }) => label)])).toEqual([
      ['Trails', ['r-1']],
    ]);
    expect(withoutDoubles(foundChoices('acme', answer)).map(({ label, hint }) => `${label}: ${hint}`)).toEqual([
      'r-1: trail of web, commit ab12ab1',
      'app.tar: artifact of web, built from commit ab12ab1',
      'app.tar: artifact of web, built from commit ab12ab1',
      `${commit}: commit`,
    ]);
  });

  it.each([
    ['ABCDE', true],
    ['abcd', false],
    ['web-1', false],
  ])('asks for the artifacts of «%s» at once: %s', (text, isAsked) => {
    expect(mayBeDigest(text)).toBe(isAsked);
  });

  it('knows a digest by what was found, in any case of letters', () => {
    const artifacts = { items: [{ name: 'app', fingerprint: 'abcde1', flow_name: 'web', html_url: '' }], more: false };
    expect(isDigest(' ABCDE', found({ artifacts }))).toBe(true);
    expect(isDigest('app', found({ artifacts }))).toBe(false);
  });

  it('leads to pages, and leaves out what has none', () => {
    const artifacts = { items: [{ name: 'app', fingerprint: 'abcde1', flow_name: null, html_url: null }], more: false };
    const trails = { items: [{ name: 'r-1', flow_name: 'web', html_url: '' }], more: false };
    const [group, ...others] = groupsOf('acme', found({ artifacts, trails }));
    expect(others).toEqual([]);
    expect(group?.names[0]).toMatchObject({ page: 'trail', params: { org: 'acme', flow: 'web', trail: 'r-1' } });
  });

  it('puts what runs now first', () => {
    const artifact = (running_in: string[], exited_from: string[]) => ({ running_in, exited_from }) as FoundArtifact;
    const groups = byPresence([artifact([], []), artifact([], ['prod']), artifact(['prod'], [])]);
    expect(groups.map(({ title }) => title)).toEqual(['Runs now', 'Ran before', 'Reported, never seen running']);
  });
});

describe('days in addresses', () => {
  it('are whole days in UTC', () => {
    expect(daysPeriod({ from: '2026-07-01', to: '2026-07-01' })).toEqual({
      start_ts: 1782864000,
      end_ts: 1782950399.999,
    });
    expect(daysPeriod({})).toEqual({});
  });

  it.each(['2026-13-01', '1.7.2026', ''])('«%s» is no day', (given) => {
    expect(day(given)).toBeUndefined();
  });
});
