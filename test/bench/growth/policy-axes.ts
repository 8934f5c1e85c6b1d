import { readPolicyItemKey } from '#shared/policies/records/keys.ts';
import { sequence } from '#shared/table/keys.ts';
import { originalOf } from '#test/support/copies/copies.ts';
import { STRICT_POLICY } from '../organizations/facts.ts';
import {
  type Axis,
  CATALOGUE_BOUND,
  copies,
  copyName,
  growing,
  named,
  ORIGINAL,
  only,
  post,
  put,
  putPolicy,
  read,
  theItem,
  WHOLE_CATALOGUE,
  write,
} from './axis.ts';

export const COPIED = copyName(7);

export const policies: Axis = {
  name: 'policies',
  async prepare(place) {
    const { stack, name, client } = place;
    const original = await originalOf(stack, () => client.http(putPolicy(name, ORIGINAL, STRICT_POLICY), 201));
    return {
      fill: copies(place, original, named),
      requests: [
        read('get policy', `/policies/${name}/${COPIED}`),
        write('make policy', 201, (n) => putPolicy(name, `policy-${n}`, STRICT_POLICY)),
        growing('the answer has all policies', read('list policies', `/policies/${name}`)),
      ],
    };
  },
};

export const policyVersions: Axis = {
  name: 'versions of a policy',
  async prepare(place) {
    const { stack, name, client } = place;
    await client.http(putPolicy(name, 'strict', STRICT_POLICY), 201);
    const original = await originalOf(stack, () => client.http(putPolicy(name, 'strict', `${STRICT_POLICY}#\n`), 200));
    const isItem = (kind: string) => (item: { pk: string; sk: string }) =>
      item.pk.endsWith('#POLICY') && readPolicyItemKey(item.sk).kind === kind;
    const head = theItem(original, isItem('HEAD'));
    const environment = { name: 'prod', type: 'server', description: '', policies: ['strict'] };
    await client.http(put(`/environments/${name}`, environment), 201);
    const fill = copies(place, only(original, isItem('V')), (n) => ({ texts: { [sequence(2)]: sequence(n + 3) } }));
    return {
      async fill(from, to) {
        await fill(from, to);
        await stack.services.table.put({ ...head, version: to + 2 });
      },
      requests: [
        write('report, changed', 201, (n) =>
          put(`/environments/${name}/prod/report/server`, {
            artifacts: [{ digests: { tool: digestOf(n) }, creationTimestamp: 1_776_000_000 }],
          }),
        ),
        growing('the answer has all versions with their texts', read('get policy', `/policies/${name}/strict`)),
      ],
    };
  },
};

const digestOf = (n: number) => n.toString(16).padStart(64, '0');

export const controls: Axis = {
  name: 'controls',
  bound: CATALOGUE_BOUND,
  async prepare(place) {
    const { stack, name, client } = place;
    const original = await originalOf(stack, () =>
      client.http(post(`/controls/${name}`, { identifier: ORIGINAL, name: 'Source' }), 201),
    );
    return {
      fill: copies(place, original, named),
      requests: [
        read('get control', `/controls/${name}/${COPIED}`),
        growing(WHOLE_CATALOGUE, read('list controls', `/controls/${name}`, 'page=1&per_page=20')),
        read('list versions of a control', `/controls/${name}/${COPIED}/versions`),
        read('coverage of a control', `/controls/${name}/${COPIED}/coverage`),
        write('make control', 201, (n) => post(`/controls/${name}`, { identifier: `CC-${n}`, name: 'Change' })),
      ],
    };
  },
};

export const controlVersions: Axis = {
  name: 'versions of a control',
  async prepare(place) {
    const { stack, name, client } = place;
    await client.http(post(`/controls/${name}`, { identifier: 'SC-1', name: 'Source' }), 201);
    const original = await originalOf(stack, () =>
      client.http(put(`/controls/${name}/SC-1`, { name: 'Sources' }), 200),
    );
    const head = theItem(original, ({ sk }) => sk === 'HEAD');
    const fill = copies(
      place,
      only(original, ({ sk }) => sk.startsWith('V#')),
      (n) => ({ texts: { [sequence(2)]: sequence(n + 3) }, set: () => ({ version: n + 3 }) }),
    );
    return {
      async fill(from, to) {
        await fill(from, to);
        await stack.services.table.put({ ...head, version: to + 2 });
      },
      requests: [
        read('get control', `/controls/${name}/SC-1`),
        read('list versions of a control', `/controls/${name}/SC-1/versions`),
        read('version of a control', `/controls/${name}/SC-1/versions/7`),
        write('change control', 200, (n) => put(`/controls/${name}/SC-1`, { name: `Sources ${n}` })),
      ],
    };
  },
};
