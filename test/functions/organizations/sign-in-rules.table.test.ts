import { afterAll, describe, expect, it } from 'vitest';
import { domainOf, problemOf, refusedWith, signInApi } from '#test/functions/user/sign-in-api.ts';
import { DENIED, newOrganization, refusal } from '#test/support/admin.ts';
import type { ApiRequest } from '#test/support/api.ts';

const { api, provider, enter, knownUser } = await signInApi();
afterAll(() => provider.stop());

const putRules = (acme: Awaited<ReturnType<typeof newOrganization>>, rules: unknown, request: ApiRequest = {}) =>
  acme.call('PUT', '/organizations/ORG/sign-in-rules', { json: { rules }, ...request });

describe('PUT /organizations/{org}/sign-in-rules', () => {
  it('lets people of a domain and of a group in, with the highest role, until the rule is gone', async () => {
    const acme = await newOrganization(api);
    const domain = domainOf();
    const group = `deployers of ${domain}`;
    expect(
      refusal(
        await putRules(acme, [
          { domain, role: 'reader' },
          { group, role: 'admin' },
        ]),
      ),
    ).toEqual([200, 'OK']);
    const email = `Ann+x@${domain}`;
    const reader = await enter({ sub: `sub-${domain}`, email, email_verified: true, groups: ['others'] });
    expect((await reader.call('GET', '/user')).json).toMatchObject({
      name: `ann-x~${domain}`,
      organizations: [{ name: acme.org, role: 'reader', sign_in_rules: null }],
    });
    const readLog = (who: typeof reader) => who.call('GET', `/audit/${acme.org}`);
    const mayRead = (await reader.call('GET', `/service-accounts/${acme.org}`)).status;
    expect([mayRead, (await readLog(reader)).status]).toEqual([200, 403]);
    const admin = await enter({ sub: `sub-${domain}`, email, email_verified: true, groups: [group] });
    expect((await readLog(admin)).status).toBe(200);
    const rules = [
      { domain, role: 'reader' },
      { group, role: 'admin' },
    ];
    expect((await admin.call('GET', '/user')).json).toMatchObject({
      organizations: [{ role: 'admin', sign_in_rules: rules }],
    });
    const onlyGroup = await enter({ sub: `other-${domain}`, groups: group });
    expect((await onlyGroup.call('GET', '/user')).json).toMatchObject({
      name: expect.stringMatching(/^person-[a-f0-9]{6}$/),
    });
    expect(refusal(await reader.call('PUT', `/user/${acme.org}`))).toEqual([200, 'OK']);
    expect((await reader.call('GET', '/user/default-org')).json).toEqual({ default_org_name: acme.org });

    expect(refusal(await putRules(acme, []))).toEqual([200, 'OK']);
    for (const who of [reader, admin, onlyGroup]) {
      expect(refusal(await who.call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
      expect((await who.call('GET', '/user')).json).toMatchObject({ organizations: [], default_org_name: '' });
    }
    const later = await enter({ sub: `sub-${domain}`, email, email_verified: true });
    expect(problemOf(later.location)).toEqual(refusedWith('not_let_in'));
    const entries = (await acme.audit('')).map(({ kind, after }): [string, unknown] => [kind, after]);
    expect(entries.filter(([kind]) => /sign_in/.test(kind))).toEqual([
      ['organization.sign_in_rules_changed', { rules: [] }],
      ['sign_in.first', expect.objectContaining({ role: 'admin', by_rule: true, subject: `other-${domain}` })],
      ['sign_in.first', expect.objectContaining({ role: 'reader', by_rule: true, email: email.toLowerCase() })],
      ['organization.sign_in_rules_changed', { rules }],
    ]);
  });

  it('leaves memberships alone: they win over rules', async () => {
    const acme = await newOrganization(api);
    const domain = domainOf();
    const user = await knownUser(`ann@${domain}`);
    await acme.put(user, 'reader');
    await putRules(acme, [{ domain, role: 'member' }]);
    const { call } = await enter({ sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true });
    expect((await call('GET', '/user')).json).toMatchObject({ organizations: [{ role: 'reader' }] });
    await acme.dismiss(user);
    expect((await call('GET', `/service-accounts/${acme.org}`)).status).toBe(200);
    const key = (await call('POST', '/user/api-keys', { json: { description: 'd' } })).json as { key: string };
    expect(await acme.tryKey(key.key)).toEqual(DENIED);
  });

  it('is for admins only, and refuses bad rules field by field', async () => {
    const acme = await newOrganization(api);
    for (const role of ['member', 'snapshotter', 'reader'] as const) {
      expect(refusal(await putRules(acme, [], { key: acme.keys[role] }))).toEqual(DENIED);
    }
    const other = await newOrganization(api);
    expect(refusal(await putRules(acme, [], { key: other.keys.admin }))).toEqual(DENIED);
    const domain = 'd.example';
    const bad: [unknown, string][] = [
      [[{ domain: 'Example.com', role: 'reader' }], 'rules[0].domain'],
      [[{ domain: '*.example.com', role: 'reader' }], 'rules[0].domain'],
      [[{ domain: 'example', role: 'reader' }], 'rules[0].domain'],
      [[{ domain: 'exаmple.com', role: 'reader' }], 'rules[0].domain'],
      [[{ domain, role: 'admin' }], 'rules[0].role'],
      [[{ domain, role: 'owner' }], 'rules[0].role'],
      [[{ group: '', role: 'reader' }], 'rules[0].group'],
      [[{ group: 'x'.repeat(257), role: 'reader' }], 'rules[0].group'],
      [[{ role: 'reader' }], 'rules[0].domain'],
      [Array(21).fill({ domain, role: 'reader' }), 'rules'],
      [undefined, 'rules'],
    ];
    for (const [rules, field] of bad) {
      const answer = await putRules(acme, rules, rules === undefined ? { json: {} } : {});
      expect([answer.status, Object.keys((answer.json as { errors: object }).errors)], JSON.stringify(rules)).toEqual([
        400,
        [field],
      ]);
    }
  });
});
