import { describe, expect, it } from 'vitest';
import { customView } from '#console/trail/attestation/model/custom.ts';
import { decisionRows, verdictSentence } from '#console/trail/attestation/model/decision.ts';
import { scanView, withRules } from '#console/trail/attestation/model/findings.ts';
import { issuesView } from '#console/trail/attestation/model/issues.ts';
import { durationText, junitView, suiteCounts } from '#console/trail/attestation/model/junit.ts';
import { pullRequestView } from '#console/trail/attestation/model/pull-request.ts';
import { sarifView } from '#console/trail/attestation/model/sarif.ts';
import { sonarView } from '#console/trail/attestation/model/sonar.ts';
import { GITHUB_PULL, GITLAB_PULL, JIRA, JUNIT, SARIF, SNYK, SONAR } from './sent.ts';

/** Values that no client sends in the place of results. */
const OTHER_FORMS: readonly unknown[] = [undefined, null, 'text', 7, true, {}, { results: {} }];
const MEMBERS: readonly unknown[] = [{}, { failures: 'one', errors: null }, { issue_exists: 'yes' }];

describe('the view of test results', () => {
  it('counts tests over all suites and puts failures first', () => {
    const view = junitView(JUNIT);
    expect(view?.sentence).toBe('216 tests: 1 failed, 1 ended with an error and 2 skipped, in 42 s.');
    expect(view?.failed).toBe(2);
    expect(view?.suites.map(suiteCounts)).toEqual(['3 tests, 1 failed, 1 with an error', '213 tests, 2 skipped']);
  });

  it('says that no test ran, and that a number is unknown', () => {
    expect(junitView({ junit_results: [] })?.sentence).toContain('No test ran');
    expect(junitView({ junit_results: [{ failures: 0, errors: 0 }] })?.sentence).toBe(
      'Tests of an unknown number: none failed.',
    );
  });

  it('is nothing for another form', () => {
    for (const other of OTHER_FORMS) expect(junitView({ junit_results: other })).toBeNull();
    for (const member of MEMBERS) expect(junitView({ junit_results: [member] })).toBeNull();
  });

  it('durations are short', () => {
    expect([0.351, 41.2, 200].map(durationText)).toEqual(['0.35 s', '41 s', '3 min 20 s']);
  });
});

describe('the view of a scan', () => {
  it('lists findings by severity with their places', () => {
    const view = scanView(SNYK);
    expect(view?.sentence).toBe(
      'The scan found 3 problems: 1 of high severity, 1 of medium severity and 1 of low severity.',
    );
    expect(view?.tool).toBe('Snyk Container 1.1290.0');
    expect(view?.found.map(({ severity, id, places }) => [severity, id, places])).toEqual([
      ['high', 'SNYK-JS-LODASH-567746', ['package.json, line 1']],
      ['medium', 'medium-1', ['src/a.ts, line 4-9']],
      ['low', 'low-1', []],
    ]);
    expect(view?.unlisted).toBe('');
  });

  it('says what is counted and not listed, and that nothing was found', () => {
    const results = [{ high_count: 2, medium_count: 0, low_count: 0, high: [{ id: 'A' }] }];
    expect(scanView({ snyk_results: { results } })?.unlisted).toBe(
      'The report counts 1 more of high severity without listing them.',
    );
    expect(scanView({ snyk_results: { results: [] } })?.sentence).toBe('The scan found nothing.');
  });

  it('is nothing for another form', () => {
    for (const other of OTHER_FORMS) expect(scanView({ snyk_results: other })).toBeNull();
    expect(scanView({ snyk_results: { results: [...MEMBERS, 'text'] } })?.found).toEqual([]);
  });

  it('takes addresses of rules from the scan file', () => {
    const file = sarifView(SARIF);
    const found = withRules(scanView(SNYK)?.found ?? [], file?.rules ?? new Map());
    expect(found.map(({ link }) => link)).toEqual(['https://security.example/SNYK-JS-LODASH-567746', null, null]);
  });
});

describe('the view of a SARIF file', () => {
  it('lists its results by severity', () => {
    const view = sarifView(SARIF);
    expect(view?.sentence).toBe('The scan found 2 problems: 1 of high severity and 1 of low severity.');
    expect(view?.found[0]).toEqual({
      severity: 'high',
      id: 'SNYK-JS-LODASH-567746',
      message: 'This file introduces a vulnerable lodash package with a high severity vulnerability.',
      places: ['package.json, line 1'],
      score: 731,
      link: 'https://security.example/SNYK-JS-LODASH-567746',
    });
  });

  it('takes a result without a level for a warning, and leaves out results that are no problem', () => {
    const results = [{ message: { text: 'a' } }, { level: 'none' }, { level: '__proto__' }];
    expect(sarifView({ version: '2.1.0', runs: [{ results }] })?.found.map(({ severity }) => severity)).toEqual([
      'medium',
      'medium',
    ]);
  });

  it('is nothing for other documents', () => {
    for (const other of [null, [], 'text', { runs: [] }, { version: '2.1.0' }]) expect(sarifView(other)).toBeNull();
  });
});

describe('the view of pull requests', () => {
  it('says who approved what, and that it was somebody else', () => {
    const view = pullRequestView(GITHUB_PULL);
    expect(view?.pulls[0]).toMatchObject({
      title: 'Fix rounding <b>',
      branches: 'fix into main',
      fourEyes: 'yes',
      sentence: 'Four eyes: approved by bob, written by ann.',
      notes: [],
    });
  });

  it('compares names in the form of each provider, and names authors that cannot be compared', () => {
    expect(pullRequestView(GITLAB_PULL)?.pulls[0]).toMatchObject({
      author: 'ann',
      fourEyes: 'yes',
      sentence: 'Four eyes: approved by bob, written by ann.',
      notes: ['Authors without a user name are not compared with who approved: Ann <ann@example.com>.'],
    });
  });

  const pull = (more: object) =>
    pullRequestView({ pull_requests: [{ url: 'https://code.example/1', ...more }] })?.pulls[0];

  it('does not count authors, other reviews and nobody as four eyes', () => {
    expect(pull({ author: 'ann', approvers: ['Ann'] })).toMatchObject({
      fourEyes: 'no',
      sentence: 'Only approved by Ann, who is the author.',
    });
    const commits = [{ sha1: 'c', author_username: 'bob' }];
    expect(pull({ author: 'ann', approvers: ['bob'], commits })?.sentence).toBe(
      'Only approved by bob, who is among the authors.',
    );
    expect(pull({ author: 'ann', approvers: [{ username: 'bob', state: 'CHANGES_REQUESTED' }] })).toMatchObject({
      fourEyes: 'no',
      sentence: 'Nobody approved it.',
    });
    expect(pull({ approvers: null })?.fourEyes).toBe('no');
  });

  it('does not know four eyes without an author', () => {
    expect(pull({ approvers: ['bob'] })).toMatchObject({ fourEyes: 'unknown' });
  });

  it('says that every approval is older than the newest commit', () => {
    const approvers = [{ username: 'bob', timestamp: '10' }];
    const commits = [{ sha1: 'c', author_username: 'ann', timestamp: 11 }];
    expect(pull({ author: 'ann', approvers, commits })?.notes).toEqual([
      'Every approval is older than the newest commit.',
    ]);
  });

  it('is nothing for another form, and reads members of other forms', () => {
    for (const other of OTHER_FORMS) expect(pullRequestView({ pull_requests: other })).toBeNull();
    expect(pullRequestView({ pull_requests: [{ approvers: [7, null, {}], commits: 'x' }] })?.pulls).toHaveLength(1);
    expect(pullRequestView({ pull_requests: [] })?.sentence).toContain('No pull request was found');
  });
});

describe('the view of a code analysis', () => {
  it('puts failed conditions first and says their limits', () => {
    const view = sonarView(SONAR);
    expect(view?.sentence).toBe('The quality gate failed: 1 of 2 conditions not met.');
    expect(view?.conditions.map(({ metric, value, limit }) => [metric, value, limit])).toEqual([
      ['new coverage', '61.3', 'must not be below 80'],
      ['new reliability rating', '1', 'must not be above 1'],
    ]);
    expect(view?.project).toEqual({ name: 'Walk', url: 'https://sonar.example/dashboard?id=walk' });
  });

  it('says that there is no quality gate, and keeps words that it does not know', () => {
    expect(sonarView({ sonar_results: {} })?.sentence).toBe('The analysis has no quality gate. That is not compliant.');
    expect(sonarView({ sonar_results: { qualityGate: { status: 'NONE' } } })?.sentence).toBe(
      'The quality gate says NONE.',
    );
    const conditions = [{ operator: 'constructor', errorThreshold: '3' }];
    expect(sonarView({ sonar_results: { qualityGate: { status: 'OK', conditions } } })?.conditions[0]?.limit).toBe(
      'constructor 3',
    );
  });

  it('is nothing for another form', () => {
    for (const other of [undefined, null, 'text', 7, []]) expect(sonarView({ sonar_results: other })).toBeNull();
  });
});

describe('the view of issues', () => {
  it('puts issues that do not exist first', () => {
    expect(issuesView(JIRA)).toEqual({
      sentence: 'WALK-9 does not exist (1 of 2 issues).',
      issues: [
        { id: 'WALK-9', url: 'https://jira.example/browse/WALK-9', exists: false, title: null, state: null },
        {
          id: 'WALK-1',
          url: 'https://jira.example/browse/WALK-1',
          exists: true,
          title: 'A ticket of the walk',
          state: 'Done',
        },
      ],
    });
  });

  it('is nothing for another form', () => {
    for (const other of OTHER_FORMS) expect(issuesView({ jira_results: other })).toBeNull();
    expect(issuesView({ jira_results: [{ issue_exists: 'yes' }] })).toBeNull();
    expect(issuesView({ jira_results: [] })?.sentence).toContain('refers to no issue');
  });
});

describe('the view of a decision', () => {
  it('names the control, the verdict and short values beside it', () => {
    expect(verdictSentence('RCTL-1', { is_compliant: false, created_by: 'bob' })).toBe(
      'RCTL-1 is not met, as bob reported.',
    );
    const attestation_data = { is_compliant: true, approved_by: 'bob', deep: {} };
    expect(decisionRows({ attestation_data } as never)).toEqual([['approved by', 'bob']]);
    expect(decisionRows({ attestation_data: 'text' } as never)).toEqual([]);
  });
});

describe('the view of custom data', () => {
  const type = (summary: object[], rules = ['.destroy == 0']) => ({
    versions: [
      { version: 2, summary: null, evaluator: {} },
      { version: 1, summary, evaluator: { content_type: 'jq', rules } },
    ],
  });
  const attestation = {
    type_version: 1,
    rule_results: [{ is_compliant: false, reason: 'The rule did not give true' }],
    attestation_data: { destroy: 2, list: [{ 'a-b': 'x' }], empty: null, big: { a: 1 } },
  };
  const values = (...expressions: string[]) =>
    customView(attestation, type(expressions.map((expression) => ({ name: expression, expression })))).rows.map(
      ({ value }) => value,
    );

  it('says how each rule of its version decided', () => {
    expect(customView(attestation, type([]))).toMatchObject({
      sentence: '1 of 1 rule is not met.',
      rules: [{ program: '.destroy == 0', isMet: false, reason: 'The rule did not give true' }],
    });
  });

  it('shows the rows whose expressions are paths, and no value for other programs', () => {
    expect(values('.destroy', '.list[0]["a-b"]', '.list | length', '.empty', '.missing.deep', '.big')).toEqual([
      '2',
      'x',
      '1',
      'null',
      'null',
      '{"a":1}',
    ]);
    expect(values('.destroy + 1', '.destroy.x', '.list[]', 'now', '', '.__proto__')).toEqual([
      null,
      null,
      null,
      null,
      null,
      'null',
    ]);
  });

  it('needs neither the type nor its form', () => {
    for (const other of [undefined, null, 'text', { versions: 7 }])
      expect(customView(attestation, other)).toMatchObject({ rows: [], rules: [{ program: null }] });
    expect(customView({}, undefined).sentence).toContain('has no rules');
  });
});
