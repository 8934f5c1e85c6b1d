import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '#shared/base/ids.ts';
import { trustKey } from '#shared/organizations/records/keys.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { describeAccess } from '#test/support/access.ts';
import { adminApi, refusal, refused } from '#test/support/admin.ts';
import { AUDIENCE, trustingOrganization } from './trusts-api.ts';

const api = await adminApi();
async function idOf(name: string): Promise<OrganizationId> {
  const found = await api.services.principals(api.services.table).organization(name);
  if (!found) throw new Error(`There is no organization ${name}`);
  return found.id;
}

/** One organization for everything that is refused. */
const refusing = trustingOrganization(api);
const NOT_FOUND = [404, { message: 'Trust not found' }];
const GITHUB = { preset: 'github', claims: { repository_id: '74', ref: 'refs/heads/main' } };
const OKTA = { issuer: 'https://acme.okta.example.com' };

describe('PUT /trusts/{org}/{name}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/trusts/${org}/ci`,
    request: { json: { service_account: 'nobody', audience: AUDIENCE, ...GITHUB } },
    needs: 'admin',
  });

  it('refuses all repositories with a workflow whose reference has a `*`, and warns of one from an earlier release', async () => {
    const acme = await trustingOrganization(api);
    const file = 'acme/ci/.github/workflows/b.yml';
    const claims = { repository: 'acme/*', repository_owner_id: '65', job_workflow_ref: `${file}@refs/heads/main` };
    expect(refusal(await acme.putTrust('ci', { preset: 'github', claims }))).toMatchObject([201, { warnings: [] }]);
    const error = "With '*' in repository, this claim has to name one workflow file at one reference, without '*'";
    for (const reference of ['*', 'refs/heads/*']) {
      const wild = { ...claims, job_workflow_ref: `${file}@${reference}` };
      const answer = refusal(await acme.putTrust('ci', { preset: 'github', claims: wild }));
      expect(answer).toEqual(refused({ 'claims.job_workflow_ref': expect.stringContaining(error) }));
    }
    const { table } = api.services;
    const stored = await table.get(trustKey(await idOf(acme.org), 'ci'));
    const old = [
      { name: 'repository', values: ['acme/*'] },
      { name: 'repository_owner_id', values: ['65'] },
      { name: 'job_workflow_ref', values: [`${file}@refs/heads/*`] },
    ];
    await table.put({ ...trustKey(await idOf(acme.org), 'ci'), ...stored, claims: old });
    expect((await acme.getTrust('ci')).json).toMatchObject({
      warnings: [expect.stringContaining(`claims.job_workflow_ref: ${error}`)],
    });
  });

  it('refuses a service account that is admin', async () => {
    const acme = await trustingOrganization(api, 'admin');
    expect(refusal(await acme.putTrust('ci', GITHUB))).toEqual(
      refused({
        service_account:
          'The service account is admin, and pipelines may not act as an admin. Send another service account [input: ci]',
      }),
    );
    expect((await acme.getTrust('ci')).status).toBe(404);
  });

  it('creates a trust, and replaces it', async () => {
    const acme = await trustingOrganization(api);
    const made = await acme.putTrust('ci', GITHUB);
    const record = {
      name: 'ci',
      service_account: 'ci',
      preset: 'github',
      issuer: 'https://token.actions.githubusercontent.com',
      audience: AUDIENCE,
      claims: { ref: ['refs/heads/main'], repository_id: ['74'] },
      minutes: 15,
      description: null,
      created_at: expect.any(Number),
      changed_at: expect.any(Number),
      first_used_at: 0,
      warnings: [],
    };
    expect(refusal(made)).toEqual([201, record]);
    expect(made.headers['location']).toMatch(new RegExp(`/api/v2/trusts/${acme.org}/ci$`));
    expect(
      refusal(await acme.putTrust('ci', { ...GITHUB, minutes: 60, claims: { repository: ['acme/web', 'acme/b'] } })),
    ).toEqual([
      200,
      {
        ...record,
        minutes: 60,
        claims: { repository: ['acme/web', 'acme/b'] },
        warnings: [expect.stringContaining("Bind 'repository_id'"), expect.stringContaining('pull requests')],
      },
    ]);
    expect((await acme.getTrust('ci')).json).toMatchObject({
      minutes: 60,
      warnings: [expect.anything(), expect.anything()],
    });
    expect(
      (await acme.audit('kind=trust')).map(({ kind, before, after }) => [
        kind,
        before?.['minutes'],
        after?.['minutes'],
      ]),
    ).toEqual([
      ['trust.changed', 15, 60],
      ['trust.created', undefined, 15],
    ]);
  });

  it('changes nothing if nothing is new', async () => {
    const acme = await trustingOrganization(api);
    const [first, second] = [await acme.putTrust('ci', GITHUB), await acme.putTrust('ci', GITHUB)];
    expect([second.status, second.json]).toEqual([200, first.json]);
    expect(await acme.audit('kind=trust')).toHaveLength(1);
  });

  it('repeats its answer for the same Idempotency-Key', async () => {
    const acme = await trustingOrganization(api);
    const request = { headers: { 'idempotency-key': 'once' } };
    const [first, second] = [await acme.putTrust('ci', GITHUB, request), await acme.putTrust('ci', GITHUB, request)];
    expect([second.status, second.json, second.headers['location']]).toEqual([
      201,
      first.json,
      first.headers['location'],
    ]);
  });

  it.each<[string, object, Record<string, unknown>]>([
    ['an unknown preset', { preset: 'jenkins' }, { preset: expect.stringContaining("'any'") }],
    [
      'an unknown service account',
      { ...GITHUB, service_account: 'cj' },
      { service_account: 'There is no such service account [input: cj]' },
    ],
    ['too many minutes', { ...GITHUB, minutes: 61 }, { minutes: expect.stringContaining('less than or equal to 60') }],
    [
      'no issuer',
      { preset: 'circleci', claims: { 'oidc.circleci.com/project-id': 'x' } },
      { issuer: expect.stringContaining('Send the issuer') },
    ],
    [
      'an issuer without https',
      { issuer: 'http://issuer.example.com' },
      { issuer: expect.stringContaining("scheme should be 'https'") },
    ],
    [
      'an issuer with a password',
      { issuer: 'https://a:b@issuer.example.com' },
      { issuer: 'URL should not contain credentials [input: https://hidden@issuer.example.com]' },
    ],
    [
      'an issuer with a query',
      { issuer: 'https://issuer.example.com?a=b' },
      { issuer: expect.stringContaining('neither a query') },
    ],
    [
      'an issuer at a private address',
      { issuer: 'https://10.0.0.1' },
      { issuer: expect.stringContaining('private, local or reserved') },
    ],
    [
      'an issuer at the metadata address',
      { issuer: 'https://[::ffff:169.254.169.254]' },
      { issuer: expect.stringContaining('private, local or reserved') },
    ],
    [
      'claims that name no pipeline',
      { preset: 'github', claims: { ref: 'refs/heads/main' } },
      { claims: expect.stringContaining('Bind repository_id, or repository') },
    ],
    [
      'a pattern for everything',
      { ...OKTA, claims: { sub: '*' } },
      { 'claims.sub': expect.stringContaining('[input: *]') },
    ],
    [
      'a broad repository',
      { preset: 'github', claims: { repository: 'acme/web*' } },
      { 'claims.repository': expect.stringContaining('List the exact values') },
    ],
    [
      'a claim with a strange name',
      { ...OKTA, claims: { __proto_: 'x', sub: 'x' } },
      { 'claims.__proto_': expect.any(String) },
    ],
    [
      'an empty pattern',
      { ...OKTA, claims: { sub: '' } },
      { 'claims.sub': expect.stringContaining('at least 1 character') },
    ],
    [
      'too many patterns',
      {
        ...OKTA,
        claims: Object.fromEntries(
          ['a', 'b', 'c'].map((name) => [name, Array.from({ length: 40 }, (_, i) => `v${i}`)]),
        ),
      },
      { claims: expect.stringContaining('at most 20 claims with 100 patterns') },
    ],
  ])('refuses %s', async (_, fields, errors) => {
    const acme = await refusing;
    expect(refusal(await acme.putTrust('ci', fields))).toEqual(refused(errors));
    expect((await acme.listTrusts()).json).toEqual({ trusts: [], next_cursor: null });
  });

  it('accepts loopback and plain http only where the deployment allows the network', async () => {
    const acme = await trustingOrganization(api);
    const { guard } = api.services;
    api.services.guard = addressGuard(['127.0.0.0/8']);
    expect((await acme.putTrust('ci', { issuer: 'http://127.0.0.1:1' })).status).toBe(201);
    api.services.guard = guard;
    expect((await acme.putTrust('cj', { issuer: 'http://127.0.0.1:1' })).status).toBe(400);
  });

  it('has at most 20 trusts of an issuer', async () => {
    const acme = await trustingOrganization(api);
    const puts = Array.from({ length: 20 }, (_, i) => acme.putTrust(`ci-${i}`, OKTA));
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(refusal(await acme.putTrust('more', OKTA))).toEqual([
      400,
      {
        message:
          'There are 20 trusts of this issuer, the most there can be. List several values in the claims of one trust, or delete one first',
      },
    ]);
    expect((await acme.putTrust('ci-1', { ...OKTA, minutes: 3 })).status).toBe(200);
    expect((await acme.putTrust('more', { issuer: 'https://other.example.com' })).status).toBe(201);
    expect(refusal(await acme.putTrust('more', OKTA))[0]).toBe(400);
  });

  it('has at most 100 trusts of an organization', async () => {
    const acme = await trustingOrganization(api);
    await acme.putTrust('first', OKTA);
    const id = await idOf(acme.org);
    await api.services.table.putMany(Array.from({ length: 99 }, (_, i) => ({ ...trustKey(id, `trust-${i}`), v: 1 })));
    expect(refusal(await acme.putTrust('more', GITHUB))).toEqual([
      400,
      { message: 'There are 100 trusts, the most there can be. Delete one first' },
    ]);
    expect((await acme.putTrust('first', GITHUB)).status).toBe(200);
  });
});

describe('GET /trusts/{org}', () => {
  it('lists trusts by name in pages, and says which account is gone', async () => {
    const acme = await trustingOrganization(api);
    await acme.create({ name: 'gone', privilege: 'reader' });
    for (const name of ['b', 'a-b', 'a', 'a.b'])
      await acme.putTrust(name, { ...OKTA, service_account: name === 'b' ? 'gone' : 'ci' });
    await acme.remove('gone');
    const names: unknown[] = [];
    let cursor: string | null = '';
    do {
      const { json } = await acme.listTrusts(`per_page=3&cursor=${cursor}`);
      const page = json as { trusts: { name: string; warnings: string[] }[]; next_cursor: string | null };
      names.push(...page.trusts.map(({ name, warnings }) => [name, warnings.length]));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual([
      ['a', 0],
      ['a-b', 0],
      ['a.b', 0],
      ['b', 1],
    ]);
    expect((await acme.getTrust('b')).json).toMatchObject({ warnings: [expect.stringContaining('was deleted')] });
    expect((await acme.listTrusts('cursor=x')).status).toBe(400);
  });

  it('shows a placeholder for a trust that cannot be read', async () => {
    const acme = await trustingOrganization(api);
    await acme.putTrust('ci', OKTA);
    await api.services.table.put({ ...trustKey(await idOf(acme.org), 'odd'), v: 9 });
    expect((await acme.listTrusts()).json).toMatchObject({
      trusts: [{ name: 'ci' }, { name: 'odd', unreadable: true }],
    });
  });
});

describe('GET /trusts/{org}/{name}', () => {
  it('answers 404 for an unknown name', async () => {
    const acme = await trustingOrganization(api);
    for (const name of ['nobody', 'ü', 'x'.repeat(2000)]) expect(refusal(await acme.getTrust(name))).toEqual(NOT_FOUND);
  });
});

describe('DELETE /trusts/{org}/{name}', () => {
  it('removes a trust, once', async () => {
    const acme = await trustingOrganization(api);
    await acme.putTrust('ci', OKTA);
    const answers = await Promise.all([acme.deleteTrust('ci'), acme.deleteTrust('ci')]);
    expect(answers.map(refusal).toSorted()).toEqual([[200, 'OK'], NOT_FOUND]);
    expect(await acme.audit('kind=trust.deleted')).toMatchObject([{ before: { issuer: OKTA.issuer }, after: null }]);
  });
});
