import { applySeed } from '#shared/organizations/seed.ts';
import { sequence, storedKey } from '#shared/table/keys.ts';
import { originalOf } from '#test/support/copies/copies.ts';
import { testPartition } from '#test/support/ids.ts';
import { beginTrail } from '../client.ts';
import { type Axis, copies, copyName, growing, named, ORIGINAL, post, put, read, write } from './axis.ts';
import { COPIED, controls, controlVersions, policies, policyVersions } from './policy-axes.ts';

const TARGETS = [{ type: 'EMAIL', emails: ['ada@example.com'] }];

const members: Axis = {
  name: 'members',
  async prepare(place) {
    const { stack, name } = place;
    const joining = { name, features: [], members: [{ user: ORIGINAL, role: 'reader' }] };
    const original = await originalOf(stack, () => applySeed(stack.services, { organizations: [joining] }));
    return {
      fill: copies(place, original, named),
      requests: [
        read('get user', '/user'),
        write('put member', 200, (n) => put(`/organizations/${name}/members/${copyName(n % 50)}`, { role: 'member' })),
        growing('the answer has all members', read('list members', `/organizations/${name}/members`)),
      ],
    };
  },
};

const serviceAccounts: Axis = {
  name: 'service accounts',
  async prepare(place) {
    const { stack, name, client } = place;
    const original = await originalOf(stack, () =>
      client.http(post(`/service-accounts/${name}`, { name: ORIGINAL, privilege: 'member' }), 201),
    );
    return {
      fill: copies(place, original, named),
      requests: [
        read('get service account', `/service-accounts/${name}/${COPIED}`),
        write('make service account', 201, (n) =>
          post(`/service-accounts/${name}`, { name: `made-${n}`, privilege: 'member' }),
        ),
        growing('the answer has all accounts', read('list service accounts', `/service-accounts/${name}`)),
        growing(
          'the members of both kinds lie in one partition',
          read('list members', `/organizations/${name}/members`),
        ),
      ],
    };
  },
};

const keys: Axis = {
  name: 'keys of a service account',
  sizes: { small: 10, large: 100 },
  bound: 'a service account has at most 100 active keys; the 101st is refused with 400',
  async prepare({ name, client }) {
    await client.http(post(`/service-accounts/${name}`, { name: 'robot', privilege: 'member' }), 201);
    const path = `/service-accounts/${name}/robot/api-keys`;
    return {
      async fill(from, to) {
        for (let n = from; n < to; n += 1) await client.http(post(path, { description: `key ${n}` }), 201);
      },
      requests: [
        read('get service account', `/service-accounts/${name}/robot`),
        growing('the answer has all keys', read('list keys of an account', path)),
      ],
    };
  },
};

const actions: Axis = {
  name: 'actions',
  bound:
    'no rule bounds the actions; the relay reads all of them, with all versions, to find those that an event concerns',
  async prepare(place) {
    const { stack, name, org, client } = place;
    const action = (of: string) =>
      put(`/actions/${name}/flows`, { name: of, type: 'flow', triggers: ['ON_ATTESTATION'], targets: TARGETS });
    await client.http(action('first'), 200);
    const original = await originalOf(
      stack,
      () => client.http(action(ORIGINAL), 200),
      ({ pk, sk }) => !/^@KEYUSE#|#AUDIT#/.test(pk) && sk !== 'COUNTER',
    );
    const fill = copies(place, original, (n) => ({
      texts: { [ORIGINAL]: copyName(n), [sequence(2)]: sequence(n + 3) },
      set: ({ pk, number }) => ({
        ...(pk.endsWith('#ACTIONSECRET#2') && { pk: testPartition(pk.replace(/2$/, String(n + 3))) }),
        ...(number !== undefined && { number: n + 3 }),
      }),
    }));
    return {
      async fill(from, to) {
        await fill(from, to);
        await stack.services.table.put({ ...storedKey(`${org}#ACTIONS`, 'COUNTER'), v: 1, last: to + 2 });
      },
      requests: [
        read('get action', `/actions/${name}/7`),
        read('list deliveries of an action', `/actions/${name}/7/deliveries`),
        read('list deliveries', `/deliveries/${name}`),
        write('put action, changed', 200, (n) => action(copyName(n % 50))),
        growing('the answer has all actions', read('list actions', `/actions/${name}`)),
        growing(
          'actions of both kinds lie in one partition',
          read('list notifications', `/organizations/${name}/environments_notifications`),
        ),
      ],
    };
  },
};

const deliveries: Axis = {
  name: 'deliveries',
  async prepare(place) {
    const { stack, name, client } = place;
    await client.http(
      put(`/actions/${name}/flows`, { name: 'team', type: 'flow', triggers: ['ON_ATTESTATION'], targets: TARGETS }),
      200,
    );
    const original = await originalOf(
      stack,
      () => client.http(post(`/actions/${name}/1/test`, {}), 200),
      ({ pk }) => /#DELIVER(Y|IES)#/.test(pk),
    );
    return {
      fill: copies(place, original, () => ({})),
      requests: [
        read('list deliveries of an action', `/actions/${name}/1/deliveries`),
        read('list deliveries', `/deliveries/${name}`),
        read('list deliveries, dead ones', `/deliveries/${name}`, 'state=dead'),
        write('test action', 200, () => post(`/actions/${name}/1/test`, {})),
      ],
    };
  },
};

const auditEntries: Axis = {
  name: 'audit entries',
  // A page looks at a limited number of entries. Below this number of entries it looks at all of them.
  sizes: { small: 8_192, large: 102_400 },
  async prepare(place) {
    const { stack, name, client } = place;
    const original = await originalOf(
      stack,
      () => client.http(put(`/flows/${name}`, { name: ORIGINAL, template: [] }), 201),
      ({ pk }) => pk.includes('#AUDIT#'),
    );
    return {
      fill: copies(place, original, named),
      requests: [
        read('list audit log', `/audit/${name}`),
        read('list audit log, one kind', `/audit/${name}`, 'kind=flow.created'),
        read('list audit log, nothing found', `/audit/${name}`, 'actor=nobody'),
        write('put flow, new', 201, (n) => put(`/flows/${name}`, { name: `flow-${n}`, template: [] })),
      ],
    };
  },
};

const organizations: Axis = {
  name: 'organizations',
  async prepare(place) {
    const { stack, name, client } = place;
    const made = { name: ORIGINAL, features: ['controls'], members: [{ user: `user-of-${ORIGINAL}`, role: 'admin' }] };
    const original = await originalOf(
      stack,
      () => applySeed(stack.services, { organizations: [made] }),
      ({ pk }) => !pk.includes('#AUDIT#'),
    );
    await client.http(put(`/flows/${name}`, { name: 'web', template: [] }), 201);
    return {
      fill: copies(place, original, named),
      requests: [
        read('get user', '/user'),
        read('get flow', `/flows/${name}/web`),
        read('list flows', `/flows/${name}`, 'page=1&per_page=20'),
        read('list members', `/organizations/${name}/members`),
        write('begin trail', 201, (n) => beginTrail(name, `trail-${n}`)),
      ],
    };
  },
};

/** What grows in the settings of an organization, and organizations themselves. */
export const ORGANIZATION_AXES: readonly Axis[] = [
  policies,
  policyVersions,
  controls,
  controlVersions,
  members,
  serviceAccounts,
  keys,
  actions,
  deliveries,
  auditEntries,
  organizations,
];
