import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { ENVIRONMENT_TRIGGERS, FLOW_TRIGGERS } from '#shared/notifications/rules/records.ts';

/**
 * The requests of the API document take its fields with its types (rules/contract.md). What a field means, and the text of
 * its refusal, is tested with its endpoint.
 */

/**
 * Sends each field once with a value of its type and once with a value of another type, beside the required fields.
 * @param fields by name: a value that is accepted; one that is refused under the field's name, if there is any
 */
function expectFields(operation: string, least: object, fields: Record<string, [unknown, unknown?]>): void {
  const body = groups.flatMap(({ endpoints }) => endpoints).find((endpoint) => endpoint.operation === operation)?.body;
  if (!body || body.kind === 'none') throw new Error(`${operation} takes no body`);
  for (const [name, [right, wrong]] of Object.entries(fields)) {
    expect(body.schema.safeParse({ ...least, [name]: right }).error?.issues, `${name} as documented`).toBeUndefined();
    if (wrong === undefined) continue;
    const issues = body.schema.safeParse({ ...least, [name]: wrong }).error?.issues ?? [];
    expect([...new Set(issues.map(({ path }) => path[0]))], `${name} of another type`).toEqual([name]);
  }
}

const FINGERPRINT = 'f'.repeat(64);
const SHA = 'a'.repeat(40);
/** The required fields of the report of an artifact. */
const ARTIFACT = {
  ...{ fingerprint: FINGERPRINT, filename: 'app', git_commit: SHA },
  ...{ build_url: 'https://ci.example/1', commit_url: 'https://git.example/c' },
};
const COMMIT = { sha1: SHA, message: 'm', author: 'ann', timestamp: 1 };
const hook = (fields: object) => [{ type: 'CHAT', webhook: 'https://chat.example/1', ...fields }];

describe('the fields of a request', () => {
  test('are those of the change of a service account', () => {
    expectFields('updateServiceAccount', {}, { description: ['d', 7], privilege: ['admin', 'root'] });
    expectFields('updateServiceAccount', {}, { description: [null] });
  });

  test('are those of a flow action', () => {
    const least = { name: 'tell', triggers: ['ON_ATTESTATION'], targets: hook({}) };
    const targets: [unknown, unknown?][] = [
      [hook({ last_success_at: 1.5, last_failure_at: 0 }), hook({ webhook: 7 })],
      [hook({ context: { channel_id: 'c', channel_name: 'n', team_id: 't' } }), hook({ context: { channel_id: 7 } })],
      [[{ type: 'WEBHOOK', webhook: 'https://hooks.example/1' }], []],
      [[{ type: 'EMAIL', emails: ['ann@example.com'] }], undefined],
      [[{ type: 'CHAT', config: { webhook: 'https://chat.example/1' } }], [{ type: 'PAGER' }]],
    ];
    for (const pair of targets) expectFields('putFlowAction', least, { targets: pair });
    expectFields('putFlowAction', least, {
      name: ['a.b~c/d-e_f', '-a'],
      flows: [['web'], 'web'],
      triggers: [
        [
          ...['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION', 'ON_APPROVAL', 'ON_RELEASE'],
          ...['ON_EXPECTATION_DUE_SOON', 'ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN', 'ON_EXPOSURE'],
        ],
        ['ON_COMPLIANT_ENV'],
      ],
      type: ['flow', 'env'],
    });
    expectFields('putFlowAction', { ...least, targets: undefined }, { targets: [hook({}), null] });
    expect(FLOW_TRIGGERS).toHaveLength(9);
  });

  test('are those of an environment', () => {
    expectFields(
      'putEnvironment',
      { name: 'all', type: 'logical' },
      {
        name: ['a.b-c_d', 'a~b'],
        description: ['d', 7],
        type: ['server', 'cluster'],
        include_scaling: [true, 'often'],
        require_provenance: [true, 'often'],
        included_environments: [['a'], 'a'],
        policies: [['p'], 'p'],
      },
    );
  });

  test('are those of the report of an artifact', () => {
    const texts = ['trail_name', 'template_reference_name', 'description', 'repo_url', 'template'];
    expectFields('reportArtifact', ARTIFACT, {
      ...Object.fromEntries(Object.entries(ARTIFACT).map(([name, value]) => [name, [value, 7]])),
      ...Object.fromEntries(texts.map((name) => [name, ['text', 7]])),
      is_compliant: [false, 'maybe'],
      external_urls: [{ log: 'https://log.example' }, 'x'],
      annotations: [{ team: 'a' }, 'x'],
      user_data: [{ any: [1] }],
      git_commit_info: [COMMIT, 'x'],
      repo_info: [{ name: 'o/r' }, 'x'],
      commits_list: [[COMMIT], COMMIT],
    });
  });

  test('are those of a commit and of a repository in a report', () => {
    const inside = (field: string, others: object, members: Record<string, [unknown, unknown]>) => {
      for (const [name, [right, wrong]] of Object.entries(members)) {
        expectFields('reportArtifact', ARTIFACT, {
          [field]: [
            { ...others, [name]: right },
            { ...others, [name]: wrong },
          ],
        });
      }
    };
    const texts = ['message', 'author', 'author_username', 'branch', 'url', 'signature_state'];
    inside('git_commit_info', COMMIT, {
      sha1: [SHA, 7],
      ...Object.fromEntries(texts.map((name): [string, [unknown, unknown]] => [name, ['text', 7]])),
      timestamp: [1.5, 'now'],
      parents: [[SHA], SHA],
      verified: [true, 'yes'],
    });
    inside(
      'repo_info',
      {},
      {
        ...Object.fromEntries(
          ['name', 'url', 'id', 'description'].map((name): [string, [unknown, unknown]] => [name, ['text', 7]]),
        ),
        namespace_path: [['group', 'team'], 'group'],
        additional_info: [{ any: [1] }, 'x'],
      },
    );
  });

  test('are those of an issue-tracker, a custom and a generic attestation', () => {
    const least = { attestation_name: 'check' };
    const common: Record<string, [unknown, unknown?]> = {
      attestation_name: ['check', 7],
      git_commit_info: [
        { ...COMMIT, branch: 'main', url: 'https://git.example/c' },
        { ...COMMIT, timestamp: 'now' },
      ],
      user_data: [{ any: [1] }],
    };
    const issue = { issue_exists: true, issue_id: 'A-1', issue_url: 'https://issues.example/A-1' };
    expectFields('attestIssueTracker', { ...least, issue_tracker_results: [] }, common);
    for (const [name, wrong] of Object.entries({ issue_exists: 'yes', issue_id: 7, issue_url: 7 })) {
      const results = [[issue], [{ ...issue, [name]: wrong }]] as [unknown, unknown];
      expectFields('attestIssueTracker', least, { issue_tracker_results: results });
    }
    expectFields(
      'attestCustom',
      { ...least, type_name: 'coverage' },
      {
        ...common,
        type_name: ['coverage', 7],
        attestation_data: [{ line: 80 }],
      },
    );
    expectFields('attestGeneric', least, {
      ...common,
      artifact_fingerprint: [FINGERPRINT, 7],
      description: ['d', 7],
      is_compliant: [false, 'maybe'],
      origin_url: ['https://ci.example/1', 7],
      annotations: [{ team: 'a' }, 'x'],
      external_urls: [{ log: 'https://log.example' }, 'x'],
    });
  });
});

test('the triggers of environment notifications are the six documented ones, the three about expectations and that of watches', () => {
  expect(ENVIRONMENT_TRIGGERS.toSorted()).toEqual([
    ...['ON_ALLOWED_ARTIFACT', 'ON_COMPLIANT_ENV', 'ON_EXITED_ARTIFACT'],
    ...['ON_EXPECTATION_DUE_SOON', 'ON_EXPECTATION_MET_AGAIN', 'ON_EXPECTATION_MISSED'],
    ...['ON_EXPOSURE', 'ON_NON_COMPLIANT_ENV', 'ON_SCALED_ARTIFACT', 'ON_STARTED_ARTIFACT'],
  ]);
});
