import { sequence } from '#shared/table/keys.ts';
import { originalOf } from '#test/support/copies/copies.ts';
import { fingerprintOf } from '../organizations/facts.ts';
import {
  type Axis,
  CATALOGUE_BOUND,
  copies,
  copyName,
  growing,
  named,
  ORIGINAL,
  only,
  put,
  read,
  theItem,
  WHOLE_CATALOGUE,
  write,
} from './axis.ts';

const COPIED = copyName(7);
const server = (...contents: string[]) => ({
  artifacts: contents.map((content) => ({
    digests: { [content]: fingerprintOf(content) },
    creationTimestamp: 1_776_000_000,
  })),
});
const environment = (name: string) => ({ name, type: 'server', description: 'Production', policies: [] });

const environments: Axis = {
  name: 'environments',
  bound: CATALOGUE_BOUND,
  async prepare(place) {
    const { stack, name, client } = place;
    const original = await originalOf(stack, async () => {
      await client.http(put(`/environments/${name}`, environment(ORIGINAL)), 201);
      await client.http(put(`/environments/${name}/${ORIGINAL}/report/server`, server('tool')), 201);
    });
    return {
      fill: copies(place, original, named),
      requests: [
        read('get environment', `/environments/${name}/${COPIED}`),
        growing(WHOLE_CATALOGUE, read('list environments, page 1', `/environments/${name}`, 'page=1&per_page=20')),
        read('list snapshots', `/snapshots/${name}/${COPIED}`),
        write('report, unchanged', 200, () => put(`/environments/${name}/${COPIED}/report/server`, server('tool'))),
        write('report, changed', 201, (n) =>
          put(`/environments/${name}/${copyName(n % 50)}/report/server`, server('tool', `tool ${n}`)),
        ),
        growing('the answer has all environments', read('list environments, all', `/environments/${name}`)),
      ],
    };
  },
};

const artifactsInASnapshot: Axis = {
  name: 'artifacts in a snapshot',
  sizes: { small: 1_000, large: 10_000 },
  bound: 'a report has at most 10,000 artifacts; more are refused with 400',
  async prepare({ name, client }) {
    const report = (count: number, more: string) =>
      put(
        `/environments/${name}/prod/report/server`,
        server(...Array.from({ length: count }, (_, i) => `a${i}`), more),
      );
    let size = 0;
    await client.http(put(`/environments/${name}`, environment('prod')), 201);
    return {
      async fill(_from, to) {
        size = to - 1;
        await client.http(report(size, 'first'), 201);
      },
      requests: [
        read('get environment', `/environments/${name}/prod`),
        read('list snapshots', `/snapshots/${name}/prod`),
        read('get snapshot', `/snapshots/${name}/prod/-1`),
        read('list artifacts of a snapshot', `/snapshots/${name}/prod/-1/artifacts`, 'page=1&per_page=100'),
        write('report, unchanged', 200, () => report(size, 'first')),
        growing(
          'the flows of each artifact are read, 50 artifacts with a call',
          write('report, changed', 201, (n) => report(size, `other ${n}`)),
        ),
      ],
    };
  },
};

const snapshots: Axis = {
  name: 'snapshots of an environment',
  async prepare(place) {
    const { stack, name, client } = place;
    const report = (content: string) => put(`/environments/${name}/prod/report/server`, server('tool', content));
    await client.http(put(`/environments/${name}`, environment('prod')), 201);
    await client.http(report('first'), 201);
    const original = await originalOf(stack, () => client.http(report('second'), 201));
    const head = theItem(original, ({ pk, sk }) => pk.includes('#ENV#') && sk === 'HEAD');
    const listed = theItem(original, ({ pk }) => pk.includes('#CATALOGUE#'));
    const fill = copies(
      place,
      only(original, ({ pk }) => pk.includes('#SNAPSHOT#')),
      (n) => ({
        texts: { [sequence(2)]: sequence(n + 3) },
        set: (item) => ('index' in item ? { index: n + 3 } : {}),
      }),
    );
    return {
      async fill(from, to) {
        await fill(from, to);
        await stack.services.table.put({ ...head, index: to + 2 });
        await stack.services.table.put({ ...listed, c: to + 2 });
      },
      requests: [
        read('get environment', `/environments/${name}/prod`),
        read('list environments', `/environments/${name}`),
        read('list snapshots, page 1', `/snapshots/${name}/prod`, 'page=1&per_page=15'),
        read('list snapshots, page 10', `/snapshots/${name}/prod`, 'page=10&per_page=15'),
        read('get snapshot, newest', `/snapshots/${name}/prod/-1`),
        read('get snapshot, seventh', `/snapshots/${name}/prod/7`),
        read('get snapshot at a time', `/snapshots/${name}/prod/@{now}`),
        read('compare snapshots', `/env-diff/${name}`, 'snappish1=prod%2310&snappish2=prod%2320'),
        read('list events', `/environments/${name}/prod/events`),
        write('report, changed', 201, (n) => report(`other ${n}`)),
      ],
    };
  },
};

/** What grows in the environments of an organization. */
export const ENVIRONMENT_AXES: readonly Axis[] = [environments, artifactsInASnapshot, snapshots];
