import { beforeAll, describe, expect, it } from 'vitest';
import { verificationOf } from '#shared/evidence/rules/verification.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  anArtifact,
  aRepo,
  evidenceApi,
  fingerprintOf,
  ID,
  invalidFields,
  isTime,
  newOrganization,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const CLI = fingerprintOf('cli');

interface Page {
  data: { attestation_name: string; attestation_id: string }[];
  pagination: { total: number };
}

describe('GET /attestations/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/attestations/${org}`, needs: 'reader' });

  const fill = async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', { attestation_name: 'one' });
    await acme.attest('junit', { attestation_name: 'two', junit_results: [] });
    await acme.attest('generic', { attestation_name: 'three', artifact_fingerprint: CLI });
    await acme.attest('generic', { attestation_name: 'four', target_artifacts: ['cli'], git_commit_info: aCommit() });
    await acme.attest('junit', { attestation_name: 'five', junit_results: [] }, { flow: 'api' });
    await acme.attest('jira', { attestation_name: 'six', jira_results: [] }, { flow: 'api', trail: 'other' });
    const list = async (query = '') => (await acme.get(`/attestations/${acme.org}`, query)).json as Page;
    const names = async (query = '') => (await list(query)).data.map(({ attestation_name: name }) => name).join(' ');
    return { acme, list, names };
  };
  let filled: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    filled = await fill();
  });

  it('shows every field', async () => {
    const acme = await newOrganization(api);
    const fields = {
      attestation_name: 'scan',
      description: 'd',
      origin_url: 'https://o.example',
      annotations: { a_1: 'x' },
      git_commit_info: aCommit(),
      repo_info: aRepo(),
      user_data: { n: 1 },
      external_urls: { log: 'https://l' },
    };
    await acme.attest(
      'junit',
      { ...fields, junit_results: [{ failures: 0, errors: 0, extra: 1 }] },
      {
        files: { attachment_file: 'report' },
      },
    );
    const { json } = await acme.get(`/attestations/${acme.org}`);
    const [record] = (json as Page).data;
    const id = record?.attestation_id;
    expect(json).toEqual({
      data: [
        {
          attestation_id: expect.stringMatching(ID),
          attestation_name: 'scan',
          attestation_type: 'junit',
          is_compliant: true,
          created_at: expect.toSatisfy(isTime),
          created_by: `${acme.org}-admin`,
          identity: null,
          flow_name: 'web',
          trail_name: 'run',
          artifact_fingerprint: null,
          target_artifacts: [],
          git_commit_info: aCommit(),
          repo_info: aRepo(),
          origin_url: 'https://o.example',
          description: 'd',
          html_url: `https://api.example/${acme.org}/flows/web/trails/run?attestation_id=${id}`,
          annotations: { a_1: 'x' },
          external_urls: { log: { href: 'https://l' } },
          user_data: { n: 1 },
          verification: verificationOf({ derived: {} }),
          junit_results: [{ failures: 0, errors: 0, extra: 1 }],
          has_audit_package: true,
          attachments: [
            {
              filename: 'attachment_file',
              size: 6,
              content_type: 'application/octet-stream',
              sha256: fingerprintOf('report'),
            },
          ],
        },
      ],
      pagination: { total: 1, page: 1, per_page: 20, page_count: 1 },
    });
  });

  it('shows the reported data of each kind under the names that clients read', async () => {
    const acme = await newOrganization(api);
    const snyk = {
      schema_version: 1,
      tool: { name: 't', version: '1' },
      results: [{ high_count: 0, medium_count: 0, low_count: 0 }],
    };
    const old = [{ merge_commit: 'abc', url: 'https://g.example/1', state: 'MERGED', approvers: ['ada'] }];
    const recent = [
      {
        merge_commit: 'abc',
        url: 'https://g.example/2',
        state: 'OPEN',
        author: '',
        approvers: null,
        created_at: 1,
        commits: [{ sha1: 'abc', message: 'm', author: 'a', timestamp: 1, branch: 'b', verified: true }],
      },
      { url: 'https://git.example/1', approvers: [{ username: 'ada', state: 'APPROVED', timestamp: 2 }], commits: [] },
    ];
    const issues = [{ issue_id: 'A-1', issue_url: 'https://t.example', issue_exists: true, issue_fields: { x: [1] } }];
    await acme.attest('snyk', { attestation_name: 'snyk', snyk_results: snyk });
    await acme.attest('pull_request', { attestation_name: 'old', pull_requests: old });
    await acme.attest('pull_request', { attestation_name: 'new', git_provider: 'github', pull_requests: recent });
    await acme.attest('jira', { attestation_name: 'jira', jira_results: issues });
    await acme.attest('issue_tracker', { attestation_name: 'issues', issue_tracker_results: issues });
    await acme.attest('sonar', {
      attestation_name: 'sonar',
      sonar_results: { serverUrl: 'https://s.example', qualityGate: null },
    });
    const one = async (name: string) => (await acme.named(name))[0];
    expect(await one('snyk')).toMatchObject({ snyk_results: snyk, processed_snyk_results: snyk });
    expect(await one('old')).toMatchObject({ pull_requests: old, git_provider: null, is_compliant: true });
    expect(await one('new')).toMatchObject({ pull_requests: recent, git_provider: 'github' });
    for (const name of ['jira', 'issues']) {
      expect(await one(name)).toMatchObject({
        attestation_type: 'jira',
        issue_tracker_results: issues,
        jira_results: issues,
      });
    }
    expect(await one('sonar')).toMatchObject({ sonar_results: { serverUrl: 'https://s.example', qualityGate: null } });
  });

  it('shows generic, issue-tracker and custom attestations with the fields of their reports', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.call('POST', `/custom-attestation-types/${acme.org}`, {
      form: { fields: { data_json: '{"name":"coverage"}' } },
    });
    const common = { git_commit_info: aCommit(), user_data: { n: [1] } };
    const generic = {
      ...common,
      artifact_fingerprint: CLI,
      description: 'd',
      is_compliant: false,
      origin_url: 'https://o.example',
      annotations: { team: 'a' },
      external_urls: { log: { href: 'https://l.example' } },
    };
    const issues = [{ issue_id: 'A-1', issue_url: 'https://t.example/A-1', issue_exists: false }];
    const custom = { ...common, type_name: 'coverage', attestation_data: { line: 80 } };
    const reports: [string, Record<string, unknown>][] = [
      ['custom', custom],
      ['issue_tracker', { ...common, issue_tracker_results: issues }],
      ['generic', generic],
    ];
    for (const [kind, fields] of reports) {
      expect(refusal(await acme.attest(kind, { attestation_name: kind, ...fields }))).toEqual([201, 'OK']);
    }
    const { data } = (await acme.get(`/attestations/${acme.org}`)).json as Page;
    expect(data).toMatchObject(reports.map(([kind, fields]) => ({ attestation_name: kind, ...fields })).toReversed());
  });

  it('answers pages, newest first, and an empty page after the last one', async () => {
    const { names, list } = filled;
    expect(await names()).toBe('six five four three two one');
    expect(await names('page=2&per_page=4')).toBe('two one');
    expect(await list('page=1000000000000')).toMatchObject({ data: [], pagination: { total: 6 } });
  });

  it.each([
    ['flow=web', 'four three two one'],
    ['attestation_type=junit', 'five two'],
    ['attestation_type=issue_tracker', 'six'],
    ['attestation_type=junit&flow=api', 'five'],
    ['flow=web&trail=run', 'four three two one'],
    ['flow=web&trail=run&attestation_type=generic', 'four three one'],
    ['flow=web&trail=run&per_page=2&page=2', 'two one'],
    [`fingerprint=${CLI}`, 'four three'],
    [`fingerprint=${CLI}&flow=web&attestation_type=generic&trail=run`, 'four three'],
    [`fingerprint=${CLI}&flow=api`, ''],
    [`fingerprint=${fingerprintOf('none')}`, ''],
    [`fingerprint=${'f'.repeat(5000)}`, ''],
    ['fingerprint=a%23b%3Ff%3D1', ''],
    ['flow=web&trail=none', ''],
    [`flow=web&trail=${'n'.repeat(5000)}`, ''],
    ['flow=web&trail=a%23b', ''],
    [`attestation_type=${'t'.repeat(5000)}`, ''],
    ['attestation_type=a%26f=b', ''],
    ['attestation_type=&flow=&trail=run&trail=&flow=web&per_page=2&page=2', 'two one'],
  ])('filters by %s', async (query, expected) => {
    const { names } = filled;
    expect(await names(query)).toBe(expected);
  });

  describe('the attestations of one trail', () => {
    const sameTrail = 'flow=web&trail=run';
    /** Twelve attestations among other events of the trail. The last ones are of an artifact. */
    const mixed = async () => {
      const acme = await newOrganization(api);
      for (let n = 1; n <= 12; n++) {
        if (n === 4) await acme.begin({ description: 'changed' });
        if (n % 3 === 0) await acme.report(anArtifact(`cli-${n}`));
        if (n === 10) await acme.report(anArtifact('cli'));
        await acme.attest('generic', { attestation_name: `a${n}`, ...(n >= 10 && { artifact_fingerprint: CLI }) });
      }
      const list = async (query: string) => (await acme.get(`/attestations/${acme.org}`, query)).json as Page;
      return { acme, list };
    };
    let unchanged: Awaited<ReturnType<typeof mixed>>;
    beforeAll(async () => {
      unchanged = await mixed();
    });
    const NEWEST_FIRST = Array.from({ length: 12 }, (_, i) => `a${12 - i}`);

    it.each([1, 2, 5, 12, 100])('has each attestation on one page, in pages of %d', async (perPage) => {
      const { list } = unchanged;
      const shown: string[] = [];
      for (let page = 1; page <= Math.ceil(12 / perPage) + 1; page++) {
        const { data, pagination } = await list(`${sameTrail}&page=${page}&per_page=${perPage}`);
        expect(pagination.total).toBe(12);
        expect(data.length).toBeLessThanOrEqual(perPage);
        shown.push(...data.map(({ attestation_name: name }) => name));
      }
      expect(shown).toEqual(NEWEST_FIRST);
    });
  });

  it("finds one record by its id, and none for an unknown id, a malformed id and another organization's id", async () => {
    const { acme, list, names } = filled;
    const { data } = await list();
    const id = data.find(({ attestation_name: name }) => name === 'three')?.attestation_id ?? '';
    expect(await list(`attestation_id=${id}`)).toMatchObject({
      data: [{ attestation_name: 'three' }],
      pagination: { total: 1, page: 1 },
    });
    expect(await names(`attestation_id=${id}&flow=web&trail=run&attestation_type=generic&fingerprint=${CLI}`)).toBe(
      'three',
    );
    for (const other of [
      'flow=api',
      'attestation_type=junit',
      'flow=web&trail=none',
      `fingerprint=${fingerprintOf('x')}`,
    ]) {
      expect(await names(`attestation_id=${id}&${other}`)).toBe('');
    }
    const foreign = await newOrganization(api);
    expect((await foreign.get(`/attestations/${foreign.org}`, `attestation_id=${id}`)).json).toMatchObject({
      data: [],
    });
    for (const malformed of ['x', id.toUpperCase(), `${id}0`, '..', '%23']) {
      const answer = await acme.get(`/attestations/${acme.org}`, `attestation_id=${malformed}`);
      expect(answer).toMatchObject({ status: 200, json: { data: [], pagination: { total: 0 } } });
    }
  });

  it('answers 404 for an unknown flow, and 400 for a trail without a flow', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.get(`/attestations/${acme.org}`, 'flow=none'))).toEqual([
      404,
      { message: `Flow named 'none' does not exist for organization '${acme.org}'` },
    ]);
    expect(refusal(await acme.get(`/attestations/${acme.org}`, 'trail=run'))).toEqual(
      invalidFields({ 'query.flow': 'Field required [input: None]' }),
    );
    expect(refusal(await acme.get(`/attestations/${acme.org}`, 'trail=run&page=0'))).toEqual(
      invalidFields({
        'query.page': 'Input should be greater than or equal to 1 [input: 0]',
        'query.flow': 'Field required [input: None]',
      }),
    );
  });
});
