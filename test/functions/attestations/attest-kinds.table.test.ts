import { describe, expect, it } from 'vitest';
import { ATTESTATION_KINDS } from '#shared/evidence/rules/attestation-kinds.ts';
import { describeAccess } from '#test/support/access.ts';
import { evidenceApi, invalidFields, newFlow, newOrganization, OK, refusal } from '#test/support/evidence.ts';

const api = await evidenceApi();
/** One organization for all refusals: each of them must leave it as it was. */
const refusing = await newOrganization(api);
const untouched = await refusing.stored();

/** A valid report of each kind, by path segment. Custom types have tests of their own. */
const REPORTS: Record<string, Record<string, unknown>> = {
  generic: {},
  jira: { jira_results: [{ issue_id: 'A-1', issue_url: 'https://t.example/A-1', issue_exists: true }] },
  issue_tracker: { issue_tracker_results: [{ issue_id: 'A-1', issue_exists: true }] },
  junit: { junit_results: [{ name: 's', failures: 0, errors: 0, skipped: 1, total: 3, duration: 0.5 }] },
  snyk: { snyk_results: { schema_version: 1, results: [{ high_count: 0, medium_count: 0, low_count: 0 }] } },
  sonar: { sonar_results: { status: 'SUCCESS', qualityGate: { status: 'OK', conditions: [] } } },
  pull_request: { git_provider: 'gitlab', pull_requests: [{ url: 'https://g.example/1', commits: [] }] },
  system: { type_name: 'decision', control: 'SDLC-1', attestation_data: { is_compliant: true } },
  override: { reason: 'r', new_compliance_status: true, original_attestation_type: 'generic' },
};
const segments = Object.values(ATTESTATION_KINDS)
  .flatMap((kind) => [...kind.segments])
  .filter((segment) => segment !== 'custom');

describe.each(segments)('POST /attestations/{org}/{flow_name}/trail/{trail_name}/%s', (segment) => {
  const report = { attestation_name: 'check', ...REPORTS[segment] };

  describeAccess(api, {
    method: 'POST',
    path: (org) => `/attestations/${org}/web/trail/run/${segment}`,
    request: { json: report },
    needs: 'member',
  });

  it('creates a missing flow and trail, and stores a compliant report', async () => {
    const acme = await newFlow(api);
    expect(refusal(await acme.attest(segment, report))).toEqual(OK);
    expect((await acme.trail()).events.map(({ type }) => type)).toEqual([
      'trail_reported',
      'trail_attestation_reported',
    ]);
    expect(await acme.named('check')).toMatchObject([{ attestation_name: 'check', is_compliant: true }]);
  });

  it('accepts the document as plain JSON', async () => {
    const acme = await newFlow(api);
    const answer = await acme.call('POST', `/attestations/${acme.org}/${acme.flow}/trail/run/${segment}`, {
      json: report,
    });
    expect(refusal(answer)).toEqual(OK);
    expect(await acme.named('check')).toHaveLength(1);
  });

  it('accepts null for optional fields, and ignores unknown fields', async () => {
    const acme = await newFlow(api);
    const optional = ['artifact_fingerprint', 'target_artifacts', 'git_commit_info', 'repo_info', 'external_urls'];
    const nulls = Object.fromEntries(
      [...optional, 'origin_url', 'description', 'annotations'].map((name) => [name, null]),
    );
    expect(refusal(await acme.attest(segment, { ...report, ...nulls, newer: {} }))).toEqual(OK);
  });

  it.each([
    ['attestation_name', 'a.b', String.raw`String should match pattern '^[a-zA-Z0-9\-_,]+$' [input: a.b]`],
    ['attestation_name', undefined, 'Field required [input: None]'],
    ['attestation_name', 'n'.repeat(10_000), expect.stringContaining('at most 255 characters')],
    ['artifact_fingerprint', 'abc', "String should match pattern '^[a-f0-9]{64}$' [input: abc]"],
    ['description', 7, 'Input should be a valid string [input: 7]'],
    ['origin_url', {}, 'Input should be a valid string [input: {}]'],
    ['annotations', [], 'Input should be a valid dictionary [input: []]'],
    ['external_urls', 1, 'Input should be a valid dictionary [input: 1]'],
    ['target_artifacts', 'cli', 'Input should be a valid list [input: cli]'],
    [
      'target_artifacts',
      ['cli'],
      expect.stringContaining('requires at least one of: artifact_fingerprint or git_commit_info.'),
    ],
  ])('refuses %s as %j', async (field, value, text) => {
    const answer = await refusing.attest(segment, { ...report, [field]: value });
    expect(refusal(answer)).toEqual(invalidFields({ [field]: text }));
    expect(await refusing.stored()).toEqual(untouched);
  });

  it('repeats the first answer for the same Idempotency-Key, and makes one record', async () => {
    const acme = await newFlow(api);
    const once = (fields: Record<string, unknown>) =>
      acme.attest(segment, fields, { request: { headers: { 'idempotency-key': acme.flow } } });
    const answers = await Promise.all([1, 2, 3].map(() => once(report)));
    expect(answers.map(refusal)).toEqual([OK, OK, OK]);
    expect(refusal(await once(report))).toEqual(OK);
    expect((await once({ ...report, description: 'other' })).status).toBe(400);
    expect(await acme.named('check')).toHaveLength(1);
  });
});

describe('the verdict of a kind', () => {
  it.each([
    ['generic', {}, true],
    ['generic', { is_compliant: false }, false],
    ['jira', { jira_results: [] }, false],
    [
      'jira',
      {
        jira_results: [
          { issue_id: 'A', issue_exists: true },
          { issue_id: 'B', issue_exists: false },
        ],
      },
      false,
    ],
    ['issue_tracker', { jira_results: [{ issue_id: 'A', issue_exists: true }] }, true],
    ['junit', { junit_results: [] }, false],
    [
      'junit',
      {
        junit_results: [
          { failures: 0, errors: 0 },
          { failures: 0, errors: 1 },
        ],
      },
      false,
    ],
    ['snyk', { snyk_results: { results: [{ high_count: 0, medium_count: 0, low_count: 1 }] } }, false],
    ['snyk', { snyk_results: { results: [] } }, true],
    ['sonar', { sonar_results: {} }, false],
    ['sonar', { sonar_results: { qualityGate: { status: 'ERROR' } } }, false],
    ['pull_request', { pull_requests: [] }, false],
    ['pull_request', { pull_requests: null }, false],
    ['system', { type_name: 'decision', control: 'C', attestation_data: { is_compliant: false } }, false],
    ['override', { reason: 'r', new_compliance_status: false, original_attestation_type: 'junit' }, false],
  ])('the verdict of the kind %s with %j is %s', async (segment, fields, expected) => {
    const acme = await newFlow(api);
    expect(refusal(await acme.attest(segment, { attestation_name: 'check', ...fields }))).toEqual(OK);
    expect(await acme.named('check')).toMatchObject([{ is_compliant: expected }]);
    expect((await acme.trail()).compliance_state).toBe(expected ? 'COMPLIANT' : 'NON-COMPLIANT');
  });
});

describe('a kind with required fields', () => {
  it.each([
    ['generic', { is_compliant: 'yes' }, ['is_compliant']],
    ['jira', {}, ['issue_tracker_results']],
    ['jira', { jira_results: [{ issue_id: 1 }] }, ['jira_results[0].issue_id', 'jira_results[0].issue_exists']],
    ['junit', {}, ['junit_results']],
    [
      'junit',
      { junit_results: [{ failures: -1, errors: 'x' }] },
      ['junit_results[0].failures', 'junit_results[0].errors'],
    ],
    ['snyk', {}, ['snyk_results']],
    [
      'snyk',
      { snyk_results: { results: [{}] } },
      ['high', 'medium', 'low'].map((s) => `snyk_results.results[0].${s}_count`),
    ],
    ['sonar', { sonar_results: [] }, ['sonar_results']],
    ['pull_request', { pull_requests: [{ state: 1 }] }, ['pull_requests[0].url', 'pull_requests[0].state']],
    ['pull_request', {}, ['pull_requests']],
    ['system', {}, ['type_name']],
    ['system', { type_name: 'x', control: 'a b', attestation_data: {} }, ['type_name']],
    [
      'system',
      { type_name: 'decision', control: 'a b', attestation_data: {} },
      ['control', 'attestation_data.is_compliant'],
    ],
    ['override', {}, ['reason', 'new_compliance_status', 'original_attestation_type']],
    [
      'override',
      { reason: '', new_compliance_status: 1, original_attestation_type: 'x' },
      ['reason', 'new_compliance_status', 'original_attestation_type'],
    ],
  ])('refuses %s with %j', async (segment, fields, errors) => {
    const answer = await refusing.attest(segment, { attestation_name: 'check', ...fields });
    expect(answer.status).toBe(400);
    expect(Object.keys((answer.json as { errors: object }).errors).sort()).toEqual([...errors].sort());
  });
});
