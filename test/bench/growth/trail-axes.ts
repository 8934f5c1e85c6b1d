import { sequence } from '#shared/table/keys.ts';
import { originalOf } from '#test/support/copies/copies.ts';
import { beginTrail } from '../client.ts';
import { FLOW, fingerprintOf } from '../organizations/facts.ts';
import {
  type Axis,
  copies,
  copyName,
  growing,
  headAt,
  ORIGINAL,
  only,
  post,
  put,
  putPolicy,
  read,
  theItem,
  write,
} from './axis.ts';
import { attest, COPIED, FINGERPRINT, makeFlow, report, TRAIL } from './evidence-requests.ts';

const attestationsOfAName: Axis = {
  name: 'attestations of one name in a trail',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    await client.http(beginTrail(name, TRAIL), 201);
    await client.http(attest(name, 'check', 1), 201);
    const original = await originalOf(stack, () => client.http(attest(name, 'check', 2), 201));
    const head = theItem(original, ({ sk }) => sk === 'H');
    const slot = theItem(original, ({ sk }) => sk.startsWith('SE#'));
    const record = theItem(original, ({ pk }) => pk.includes('#ATTESTATION#'));
    const fill = copies(
      place,
      only(original, ({ pk }) => /#MOMENT#|#ATTESTATION#|#SERIES#/.test(pk)),
      (n) => ({
        texts: { [sequence(3)]: sequence(n + 4) },
        set: ({ pk }) => {
          if (pk.includes('#ATTESTATION#')) return { number: n + 4 };
          return pk.includes('#MOMENT#') ? { attestations: n + 3 } : {};
        },
      }),
    );
    const path = `/attestations/${name}`;
    return {
      async fill(from, to) {
        await fill(from, to);
        const newest = await headAt(place, head, to + 3);
        await stack.services.table.put({ ...newest, slots: to + 3, attestations: to + 2 });
        await stack.services.table.put({ ...slot, n: to + 3, i: record['id'] });
      },
      requests: [
        growing('the answer has all events of the trail', read('get trail', `/trails/${name}/${FLOW}/${TRAIL}`)),
        read('list trails', `/trails/${name}`, 'page=1&per_page=20'),
        read('list moments', `/trails/${name}/${FLOW}/${TRAIL}/moments`),
        read('list attestations of a trail', path, `flow=${FLOW}&trail=${TRAIL}`),
        growing(
          'the service reads all events of the trail to find those of a type',
          read('list attestations of a trail and type', path, `flow=${FLOW}&trail=${TRAIL}&attestation_type=generic`),
        ),
        read('list attestations', path, 'page=1&per_page=20'),
        write('attest, 2 KB', 201, (n) => attest(name, 'check', n)),
        growing(
          'the answer has all attestations of the name',
          read('attestations by name', `${path}/${FLOW}/trail/${TRAIL}/check`),
        ),
      ],
    };
  },
};

const namesInATrail: Axis = {
  name: 'names of attestations in a trail',
  sizes: { small: 1_000, large: 10_000 },
  bound: 'no rule bounds the names; the service reads all of them to compute the verdict of a trail',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    await client.http(beginTrail(name, TRAIL), 201);
    const original = await originalOf(stack, () => client.http(attest(name, ORIGINAL, 1), 201));
    const head = theItem(original, ({ sk }) => sk === 'H');
    const slot = theItem(original, ({ sk }) => sk.startsWith('SE#'));
    const fill = copies(
      place,
      only(original, ({ pk, sk }) => sk.startsWith('SE#') || /#MOMENT#|#ATTESTATION#/.test(pk)),
      (n) => ({
        texts: { [ORIGINAL]: copyName(n), [sequence(2)]: sequence(n + 3) },
        set: ({ pk, sk }) => ({
          ...(pk.includes('#ATTESTATION#') && { number: n + 3 }),
          ...(sk.startsWith('SE#') && { n: n + 3, f: n + 3 }),
        }),
      }),
    );
    const why = 'the verdict of a trail depends on each name';
    return {
      async fill(from, to) {
        await fill(from, to);
        // The attestations that were counted changed head and slot.
        await stack.services.table.put({ ...(await headAt(place, head, to + 2)), slots: sumOfNumbers(to + 2) });
        await stack.services.table.put(slot);
      },
      requests: [
        growing(why, read('get trail', `/trails/${name}/${FLOW}/${TRAIL}`)),
        growing(
          why,
          write('attest, 2 KB', 201, (n) => attest(name, ORIGINAL, n)),
        ),
        read('list moments', `/trails/${name}/${FLOW}/${TRAIL}/moments`),
        read('list trails', `/trails/${name}`, 'page=1&per_page=20'),
        growing(
          'the moments of the trail tell which attestations have the name',
          read('attestations by name', `/attestations/${name}/${FLOW}/trail/${TRAIL}/${COPIED}`),
        ),
      ],
    };
  },
};

/** The head of a trail holds the sum of the numbers of all slots, here of 2, 3 … `last`. */
const sumOfNumbers = (last: number) => (last * (last + 1)) / 2 - 1;

export const decisions: Axis = {
  name: 'decisions about a control on one trail',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    await client.http(post(`/controls/${name}`, { identifier: 'SC-1', name: 'Source' }), 201);
    await client.http(beginTrail(name, TRAIL), 201);
    const decide = () =>
      post(`/attestations/${name}/${FLOW}/trail/${TRAIL}/system`, {
        attestation_name: 'gate',
        type_name: 'decision',
        control: 'SC-1',
        attestation_data: { is_compliant: true },
      });
    await client.http(report(name, 'the content', TRAIL), 201);
    await client.http(decide(), 201);
    const original = await originalOf(
      stack,
      () => client.http(decide(), 201),
      ({ pk }) => /#DECISION#|#ATTESTATION#/.test(pk),
    );
    const running = { digests: { app: FINGERPRINT }, creationTimestamp: 1_776_000_000 };
    await client.http(putPolicy(name, 'decided', CONTROL_POLICY), 201);
    await client.http(
      put(`/environments/${name}`, { name: 'prod', type: 'server', description: '', policies: ['decided'] }),
      201,
    );
    return {
      fill: copies(place, original, () => ({})),
      requests: [
        read('get control', `/controls/${name}/SC-1`),
        read('coverage of a control', `/controls/${name}/SC-1/coverage`),
        read('assert in an environment', `/asserts/${name}/fingerprint/${FINGERPRINT}`, 'environment_name=prod'),
        write('report, changed', 201, (n) =>
          put(`/environments/${name}/prod/report/server`, {
            artifacts: [running, { digests: { tool: fingerprintOf(`tool ${n}`) }, creationTimestamp: 1_776_000_000 }],
          }),
        ),
        write('decide', 201, decide),
      ],
    };
  },
};

const CONTROL_POLICY = `_schema: https://schemas.example/schemas/policy/environment/v1
artifacts:
  attestations:
    - {type: decision, for_control: SC-1}
`;

/** What grows in one trail, without its decisions. */
export const TRAIL_AXES: readonly Axis[] = [attestationsOfAName, namesInATrail];
