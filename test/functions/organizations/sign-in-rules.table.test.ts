import { afterAll, describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { organizationKey } from '#shared/organizations/records/keys.ts';
import { memberOfItem } from '#shared/organizations/records/organizations-of-user.ts';
import { domainOf, problemOf, refusedWith, signInApi } from '#test/functions/user/sign-in-api.ts';
import { DENIED, newOrganization, refusal } from '#test/support/admin.ts';
import type { ApiRequest } from '#test/support/api.ts';
import { uniqueName } from '#test/support/directory.ts';

const { api, provider, enter, knownUser } = await signInApi();
afterAll(() => provider.stop());
type Person = Awaited<ReturnType<typeof enter>>;

const putRules = (acme: Awaited<ReturnType<typeof newOrganization>>, rules: unknown, request: ApiRequest = {}) =>
  acme.call('PUT', '/organizations/ORG/sign-in-rules', { json: { rules }, ...request });

const membership = (who: Person, method: string, org: string) =>
  who.call(method, `/organizations/${org}/membership`).then(refusal);
const organizationsOf = async (who: Person) =>
  (await who.call('GET', '/user')).json as {
    name: string;
    organizations: { name: string; role: string }[];
    offers: object[];
  };

/** An organization with a domain of its own that it may name. */
async function granted(names: { group?: string[] } = {}) {
  const acme = await newOrganization(api);
  const domain = domainOf();
  await acme.grant({ domain: [domain], ...names });
  return { acme, domain };
}

describe('PUT /organizations/{org}/sign-in-rules', () => {
  it('lets people of a domain and of a group in, with the highest role, until the rule is gone', async () => {
    const group = uniqueName('deployers');
    const { acme, domain } = await granted({ group: [group] });
    const rules = [
      { domain, role: 'reader' },
      { group, role: 'admin' },
    ];
    expect(refusal(await putRules(acme, rules))).toEqual([200, 'OK']);
    const email = `Ann+x@${domain}`;
    const reader = await enter({ sub: `sub-${domain}`, email, email_verified: true, groups: ['others'] });
    expect(await membership(reader, 'PUT', acme.org)).toEqual([200, 'OK']);
    expect(await organizationsOf(reader)).toMatchObject({
      name: `ann-x~${domain}`,
      organizations: [{ name: acme.org, role: 'reader', sign_in_rules: null, sign_in_grants: null }],
      offers: [],
    });
    const readLog = (who: Person) => who.call('GET', `/audit/${acme.org}`);
    const mayRead = (await reader.call('GET', `/service-accounts/${acme.org}`)).status;
    expect([mayRead, (await readLog(reader)).status]).toEqual([200, 403]);
    // Joined once, the person is in at the next sign-in.
    const admin = await enter({ sub: `sub-${domain}`, email, email_verified: true, groups: [group] });
    expect((await readLog(admin)).status).toBe(200);
    expect((await admin.call('GET', '/user')).json).toMatchObject({
      organizations: [
        {
          role: 'admin',
          sign_in_rules: rules.map((rule) => ({ ...rule, granted: true })),
          sign_in_grants: { domains: [domain], groups: [group] },
        },
      ],
    });
    const onlyGroup = await enter({ sub: `other-${domain}`, groups: group });
    expect(await organizationsOf(onlyGroup)).toMatchObject({
      name: expect.stringMatching(/^person-[a-f0-9]{6}$/),
      organizations: [],
      offers: [{ organization: acme.org, role: 'admin', by: 'group', name: group, declined: false }],
    });
    expect(await membership(onlyGroup, 'PUT', acme.org)).toEqual([200, 'OK']);
    expect(refusal(await reader.call('PUT', `/user/${acme.org}`))).toEqual([200, 'OK']);
    expect((await reader.call('GET', '/user/default-org')).json).toEqual({ default_org_name: acme.org });

    expect(refusal(await putRules(acme, []))).toEqual([200, 'OK']);
    for (const who of [reader, admin, onlyGroup]) {
      expect(refusal(await who.call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
      expect((await who.call('GET', '/user')).json).toMatchObject({
        organizations: [],
        offers: [],
        default_org_name: '',
      });
    }
    const later = await enter({ sub: `sub-${domain}`, email, email_verified: true });
    expect(problemOf(later.location)).toEqual(refusedWith('not_let_in'));
  });

  it('writes nothing about a person before the person joins, and then neither address nor subject', async () => {
    const { acme, domain } = await granted();
    await putRules(acme, [{ domain, role: 'member' }]);
    const before = await acme.audit('');
    const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
    const ann = await enter(person, `/${acme.org}`);
    expect(await organizationsOf(ann)).toMatchObject({
      organizations: [],
      offers: [{ organization: acme.org, role: 'member', by: 'domain', name: domain, declined: false }],
    });
    for (const path of [`/service-accounts/${acme.org}`, `/organizations/${acme.org}/members`]) {
      expect(refusal(await ann.call('GET', path))).toEqual(DENIED);
    }
    expect((await ann.call('PUT', `/user/${acme.org}`)).status).toBe(403);
    expect(await membership(ann, 'DELETE', acme.org)).toEqual([200, 'OK']);
    expect((await organizationsOf(ann)).offers).toMatchObject([{ declined: true }]);
    expect(await acme.audit('')).toEqual(before);
    expect(JSON.stringify(await acme.members())).not.toContain(domain);

    expect(await membership(ann, 'PUT', acme.org)).toEqual([200, 'OK']);
    expect(await membership(ann, 'PUT', acme.org)).toEqual([200, 'OK']);
    const [joined, ...others] = await acme.audit('');
    expect(others).toEqual(before);
    const { name } = await organizationsOf(ann);
    expect(joined).toMatchObject({ kind: 'sign_in.joined', actor: { kind: 'user', name }, subject: { name } });
    expect(joined?.after).toEqual({ role: 'member', domain });
    expect(JSON.stringify(joined)).not.toMatch(new RegExp(`${person.sub}|${person.email}|${provider.url}`));

    expect(await membership(ann, 'DELETE', acme.org)).toEqual([200, 'OK']);
    expect(refusal(await ann.call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
    expect((await acme.audit('kind=sign_in')).map(({ kind }) => kind)).toEqual(['sign_in.left', 'sign_in.joined']);
    expect(await organizationsOf(ann)).toMatchObject({ organizations: [], offers: [{ declined: true }] });
    const again = await enter(person);
    expect(await organizationsOf(again)).toMatchObject({ organizations: [], offers: [{ declined: true }] });
  });

  it('refuses a domain and a group that the operator does not grant, at the field', async () => {
    const { acme, domain } = await granted();
    const remedy = "The operator of the service grants it with 'grant-sign-in'";
    const rules = [
      { domain, role: 'reader' },
      { domain: `sub.${domain}`, role: 'reader' },
      { group: domain, role: 'reader' },
    ];
    const errors = {
      'rules[1].domain': `The domain is not granted to the organization. ${remedy} [input: sub.${domain}]`,
      'rules[2].group': `The group is not granted to the organization. ${remedy} [input: ${domain}]`,
    };
    expect(refusal(await putRules(acme, rules))).toMatchObject([400, { errors }]);
    expect((await acme.audit('kind=organization.sign_in_rules_changed')).length).toBe(0);
    const other = await newOrganization(api);
    expect((await putRules(other, [{ domain, role: 'reader' }])).status).toBe(400);
  });

  it('has no effect any more when the grant is revoked, and shows that', async () => {
    const { acme, domain } = await granted();
    await putRules(acme, [{ domain, role: 'reader' }]);
    const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
    const ann = await enter(person);
    await membership(ann, 'PUT', acme.org);
    const bob = await enter({ sub: `bob-${domain}`, email: `bob@${domain}`, email_verified: true });
    await runOperator(api.services, { command: 'revoke-sign-in', organization: acme.org, domain: [domain] });
    api.services.clock.advance(30_000_000);
    expect(refusal(await ann.call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
    expect(await organizationsOf(bob)).toMatchObject({ organizations: [], offers: [] });
    expect((await membership(bob, 'PUT', acme.org))[0]).toBe(404);
    expect(problemOf((await enter(person)).location)).toEqual(refusedWith('not_let_in'));
    const shown = (await acme.call('GET', '/user')).json as { organizations: object[] };
    expect(shown.organizations).toMatchObject([
      { sign_in_rules: [{ domain, role: 'reader', granted: false }], sign_in_grants: { domains: [], groups: [] } },
    ]);
  });

  it('has no effect if it was stored before there were grants, and people of that time are asked', async () => {
    const { acme, domain } = await granted();
    await putRules(acme, [{ domain, role: 'reader' }]);
    const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
    const directory = new Directory(api.services.table);
    const ann = await enter(person);
    const [org, user] = [
      await directory.organization(acme.org),
      await directory.user((await organizationsOf(ann)).name),
    ];
    if (!org || !user) throw new Error('Organization or user is not there');
    // An earlier release listed the organization at the sign-in.
    await api.services.table.put(memberOfItem(user.id, org.id));
    expect(await organizationsOf(ann)).toMatchObject({ organizations: [], offers: [{ organization: acme.org }] });
    expect(refusal(await ann.call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
    await api.services.table.update(organizationKey(acme.org), { UpdateExpression: 'REMOVE signInGrants' });
    expect(problemOf((await enter(person)).location)).toEqual(refusedWith('not_let_in'));
  });

  it('leaves memberships alone: they win over rules', async () => {
    const { acme, domain } = await granted();
    const user = await knownUser(`ann@${domain}`);
    await acme.enroll(user, 'reader');
    await putRules(acme, [{ domain, role: 'member' }]);
    const ann = await enter({ sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true });
    expect(await organizationsOf(ann)).toMatchObject({ organizations: [{ role: 'reader' }], offers: [] });
    await acme.dismiss(user);
    // The membership was the admin's choice; access by the rule is the person's own.
    expect(await organizationsOf(ann)).toMatchObject({ organizations: [], offers: [{ role: 'member' }] });
    await membership(ann, 'PUT', acme.org);
    expect((await ann.call('GET', `/service-accounts/${acme.org}`)).status).toBe(200);
    const key = (await ann.call('POST', '/user/api-keys', { json: { description: 'd' } })).json as { key: string };
    expect(await acme.tryKey(key.key)).toEqual(DENIED);
  });

  it('offers a rule that is made after the sign-in at the next sign-in', async () => {
    const { acme, domain } = await granted();
    await knownUser(`ann@${domain}`);
    const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
    const first = await enter(person);
    await putRules(acme, [{ domain, role: 'reader' }]);
    expect((await organizationsOf(first)).offers).toEqual([]);
    expect((await organizationsOf(await enter(person))).offers).toMatchObject([{ organization: acme.org }]);
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
