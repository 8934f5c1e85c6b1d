import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { adminApi, newOrganization } from '#test/support/admin.ts';
import { uniqueName } from '#test/support/directory.ts';

const api = await adminApi();
const run = (command: string, organization: string, more: object = {}) =>
  runOperator(api.services, { command, organization, ...more });
const domainOf = () => `${uniqueName('d')}.example`.toLowerCase();

describe('grants for sign-in rules', () => {
  it('are none at first, are added, listed and revoked, and stand in the audit log', async () => {
    const acme = await newOrganization(api);
    const [one, two, group] = [domainOf(), domainOf(), uniqueName('Group, with ünicode')];
    expect(await run('list-sign-in-grants', acme.org)).toMatchObject({ ok: true, domains: [], groups: [] });
    const granted = { domains: [one, two].toSorted(), groups: [group] };
    expect(await run('grant-sign-in', acme.org, { domain: [one, two], group: [group] })).toMatchObject(granted);
    expect(await run('grant-sign-in', acme.org, { domain: [one] })).toMatchObject({ ok: true, ...granted });
    expect(await run('revoke-sign-in', acme.org, { domain: [one], group: [group] })).toMatchObject({
      domains: [two],
      groups: [],
    });
    expect(await run('list-sign-in-grants', acme.org)).toMatchObject({ domains: [two], groups: [] });
    expect(await acme.audit('kind=organization')).toMatchObject([
      { actor: { kind: 'operator' }, before: granted, after: { domains: [two], groups: [] } },
      { kind: 'organization.sign_in_grants_changed', before: { domains: [], groups: [] }, after: granted },
    ]);
  });

  it('grants for sign-in rules of a name that another organization holds need a word of the operator, until it is revoked there', async () => {
    const [acme, other, third] = [await newOrganization(api), await newOrganization(api), await newOrganization(api)];
    const domain = domainOf();
    await run('grant-sign-in', acme.org, { domain: [domain] });
    const refused = (...holders: string[]) => ({
      ok: false,
      message: `The domain '${domain}' is granted to ${holders.map((holder) => `'${holder}'`).join(', ')}. Give --shared if both organizations shall let its people in`,
    });
    expect(await run('grant-sign-in', other.org, { domain: [domain] })).toEqual(refused(acme.org));
    expect(await run('list-sign-in-grants', other.org)).toMatchObject({ domains: [] });
    expect(await run('grant-sign-in', other.org, { domain: [domain], shared: true })).toMatchObject({ ok: true });
    expect(await run('grant-sign-in', third.org, { domain: [domain] })).toEqual(refused(acme.org, other.org));
    await run('revoke-sign-in', acme.org, { domain: [domain] });
    await run('revoke-sign-in', other.org, { domain: [domain] });
    expect(await run('grant-sign-in', third.org, { domain: [domain] })).toMatchObject({ ok: true, domains: [domain] });
  });

  it('grants for sign-in rules of the same name at the same time reach one organization', async () => {
    const organizations = await Promise.all([1, 2, 3].map(() => newOrganization(api)));
    const domain = domainOf();
    const outcomes = await Promise.all(organizations.map(({ org }) => run('grant-sign-in', org, { domain: [domain] })));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('are refused for an unknown organization, a bad name, and beyond 100', async () => {
    const { org } = await newOrganization(api);
    expect(await run('grant-sign-in', 'nowhere', { domain: [domainOf()] })).toEqual({
      ok: false,
      message: "There is no organization 'nowhere'",
    });
    expect(await run('grant-sign-in', org, { domain: ['*.example.com'] })).toMatchObject({
      ok: false,
      message: expect.stringContaining('Input should be a domain in lower case'),
    });
    const groups = (from: number, count: number) => Array.from({ length: count }, (_, i) => `${org} ${from + i}`);
    for (const from of [0, 40]) await run('grant-sign-in', org, { group: groups(from, 40) });
    expect(await run('grant-sign-in', org, { group: groups(80, 21) })).toEqual({
      ok: false,
      message: `These would be 101 grants of '${org}'; there can be 100`,
    });
    expect(await run('grant-sign-in', org, { group: groups(80, 20) })).toMatchObject({ ok: true });
  });
});
