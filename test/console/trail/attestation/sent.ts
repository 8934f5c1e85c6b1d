/** What the command-line client sends for each kind, as a recording of its requests shows it. */

export const SHA = 'a'.repeat(40);

export const JUNIT = {
  junit_results: [
    { name: 'rounding', failures: 1, errors: 1, skipped: 0, total: 3, duration: 0.3, timestamp: 1767323045 },
    { name: 'basket', failures: 0, errors: 0, skipped: 2, total: 213, duration: 41.2, timestamp: 1767323045 },
  ],
};

export const SNYK = {
  snyk_results: {
    schema_version: 1,
    tool: { name: 'Snyk Container', version: '1.1290.0' },
    results: [
      {
        high_count: 1,
        medium_count: 1,
        low_count: 1,
        high: [
          {
            id: 'SNYK-JS-LODASH-567746',
            message: 'This file introduces a vulnerable lodash package with a high severity vulnerability.',
            locations: [{ uri: 'package.json', lines: '1' }],
            priority_score: 731,
          },
        ],
        medium: [{ id: 'medium-1', message: 'Medium thing', locations: [{ uri: 'src/a.ts', lines: '4-9' }] }],
        low: [{ id: 'low-1', message: 'Low thing' }],
      },
    ],
  },
};

/** The file that the client attaches beside `SNYK`. */
export const SARIF = {
  $schema: 'https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Snyk Container',
          version: '1.1290.0',
          rules: [
            {
              id: 'SNYK-JS-LODASH-567746',
              shortDescription: { text: 'High severity - Prototype Pollution vulnerability in lodash' },
              helpUri: 'https://security.example/SNYK-JS-LODASH-567746',
            },
          ],
        },
      },
      results: [
        { ruleId: 'low-1', level: 'note', message: { text: 'Low thing' } },
        {
          ruleId: 'SNYK-JS-LODASH-567746',
          level: 'error',
          message: { text: 'This file introduces a vulnerable lodash package with a high severity vulnerability.' },
          locations: [
            {
              physicalLocation: { artifactLocation: { uri: 'package.json' }, region: { startLine: 1 } },
              logicalLocations: [{ fullyQualifiedName: 'lodash@4.17.15' }],
            },
          ],
          properties: { priorityScore: 731 },
        },
      ],
    },
  ],
};

export const GITHUB_PULL = {
  git_provider: 'github',
  pull_requests: [
    {
      merge_commit: SHA,
      url: 'https://code.example/pull/17',
      state: 'MERGED',
      approvers: [{ username: 'bob', state: 'APPROVED', timestamp: 1767323045 }],
      author: 'ann',
      created_at: 1767323045,
      merged_at: 1767323045,
      title: 'Fix rounding <b>',
      head_ref: 'fix',
      base_ref: 'main',
      commits: [
        {
          sha1: SHA,
          message: 'Fix rounding',
          author: 'Ann <ann@example.com>',
          author_username: 'ann',
          timestamp: 1767323045,
          branch: 'fix',
          url: 'https://code.example/c/1',
          verified: true,
          signature_state: 'VALID',
        },
      ],
    },
  ],
};

/** Names of people at this provider have a form of their own, and commits have no user names. */
export const GITLAB_PULL = {
  git_provider: 'gitlab',
  pull_requests: [
    {
      merge_commit: '',
      url: 'https://code.example/mr/1',
      state: 'merged',
      approvers: [{ username: ' (@bob)' }],
      author: 'Ann Author (@ann)',
      created_at: 1767323045,
      merged_at: 1767323045,
      title: 'Walk',
      head_ref: 'fix',
      base_ref: 'main',
      commits: [{ sha1: SHA, message: 'Fix rounding', author: 'Ann <ann@example.com>', timestamp: 1767323045 }],
    },
  ],
};

export const SONAR = {
  sonar_results: {
    serverUrl: 'https://sonar.example',
    taskId: 'T1',
    status: 'SUCCESS',
    analysedAt: '2026-01-02T03:04:05+0000',
    revision: SHA,
    project: { key: 'walk', name: 'Walk', url: 'https://sonar.example/dashboard?id=walk' },
    branch: { name: 'main' },
    qualityGate: {
      status: 'ERROR',
      conditions: [
        { metric: 'new_reliability_rating', errorThreshold: '1', operator: 'GT', value: '1', status: 'OK' },
        { metric: 'new_coverage', errorThreshold: '80', operator: 'LT', value: '61.3', status: 'ERROR' },
      ],
    },
  },
};

export const JIRA = {
  jira_results: [
    {
      issue_id: 'WALK-1',
      issue_url: 'https://jira.example/browse/WALK-1',
      issue_exists: true,
      issue_fields: { status: { description: '', id: '', name: 'Done' }, summary: 'A ticket of the walk' },
    },
    { issue_id: 'WALK-9', issue_url: 'https://jira.example/browse/WALK-9', issue_exists: false },
  ],
};
