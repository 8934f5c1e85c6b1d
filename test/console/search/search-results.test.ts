import { describe, expect, it } from 'vitest';
import { mayBeDigest } from '#console/search/model/digest.ts';
import { foundChoices, withoutDoubles } from '#console/search/model/palette.ts';
import { byPresence, groupsOf, isDigest, searchSentence } from '#console/search/model/search-results.ts';
import type { Found, FoundArtifact } from '#console/search/operations.ts';

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
