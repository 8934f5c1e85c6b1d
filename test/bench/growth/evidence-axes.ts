import { originalOf } from '#test/support/copies/copies.ts';
import { beginTrail } from '../client.ts';
import { FLOW } from '../organizations/facts.ts';
import { ARTIFACT_AXES } from './artifact-axes.ts';
import {
  type Axis,
  CATALOGUE_BOUND,
  copies,
  copyName,
  growing,
  named,
  ORIGINAL,
  put,
  read,
  WHOLE_CATALOGUE,
  write,
} from './axis.ts';
import { attest, COPIED, makeFlow } from './evidence-requests.ts';
import { decisions, TRAIL_AXES } from './trail-axes.ts';

const trails: Axis = {
  name: 'trails',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    const original = await originalOf(stack, () => client.http(beginTrail(name, ORIGINAL), 201));
    return {
      fill: copies(place, original, named),
      requests: [
        read('get trail', `/trails/${name}/${FLOW}/${COPIED}`),
        read('list trails, page 1', `/trails/${name}`, 'page=1&per_page=20'),
        read('list trails, page 10', `/trails/${name}`, 'page=10&per_page=20'),
        read('list trails of a flow', `/trails/${name}/${FLOW}`, 'page=1&per_page=20'),
        read('list flows', `/flows/${name}`, 'page=1&per_page=20'),
        write('begin trail', 201, (n) => beginTrail(name, `begun-${n}`)),
        write('attest, 2 KB', 201, (n) => attest(name, 'check', n, copyName(n % 50))),
      ],
    };
  },
};

const flows: Axis = {
  name: 'flows',
  bound: CATALOGUE_BOUND,
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    for (let n = 0; n < 20; n += 1) await client.http(beginTrail(name, `early-${n}`), 201);
    const original = await originalOf(stack, () => makeFlow(place, ORIGINAL));
    return {
      fill: copies(place, original, named),
      requests: [
        read('get flow', `/flows/${name}/${COPIED}`),
        growing(WHOLE_CATALOGUE, read('list flows', `/flows/${name}`, 'page=1&per_page=20')),
        read('list trails', `/trails/${name}`, 'page=1&per_page=20'),
        growing(WHOLE_CATALOGUE, read('search a name', `/search/${name}`, `q=${COPIED}`)),
        write('put flow, changed', 200, (n) =>
          put(`/flows/${name}`, { name: copyName(n % 50), description: `The ${n}th`, template: [] }),
        ),
        write('begin trail', 201, (n) => beginTrail(name, `begun-${n}`, COPIED)),
      ],
    };
  },
};

/** What grows in the evidence of an organization. */
export const EVIDENCE_AXES: readonly Axis[] = [trails, flows, ...TRAIL_AXES, ...ARTIFACT_AXES, decisions];
