import { originalOf } from '#test/support/copies/copies.ts';
import { testPartition } from '#test/support/ids.ts';
import { COMMIT_SHA, FLOW, fingerprintOf } from '../organizations/facts.ts';
import { type Axis, copies, copyName, growing, named, ORIGINAL, read, write } from './axis.ts';
import { COPIED, FINGERPRINT, makeFlow, report, TRAIL } from './evidence-requests.ts';

const reportsOfAFingerprint: Axis = {
  name: 'reports of a fingerprint, each in a trail of its own',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    await client.http(report(name, 'the content', 'first-trail'), 201);
    const original = await originalOf(
      stack,
      () => client.http(report(name, 'the content', ORIGINAL), 201),
      ({ pk }) => /#TRAIL#|#ARTIFACT#|#SERIES#trails-with|#SERIES#artifacts/.test(pk),
    );
    return {
      fill: copies(place, original, named),
      requests: [
        read('get artifact', `/artifacts/${name}/${FLOW}/fingerprint/${FINGERPRINT}`),
        read('assert artifact', `/asserts/${name}/fingerprint/${FINGERPRINT}`),
        read('assert in environments', `/asserts/${name}/fingerprint/${FINGERPRINT}/environments`),
        read('list artifacts', `/artifacts/${name}`, 'page=1&per_page=20'),
        read('list trails with an artifact', `/trails/${name}`, `fingerprint=${FINGERPRINT}&page=1&per_page=20`),
        read('search fingerprint', `/search/${name}/sha/${FINGERPRINT}`),
        read('latest commit', `/artifacts/${name}/${FLOW}/${FINGERPRINT}/latest_commit`),
        write('report artifact', 201, (n) => report(name, 'the content', `trail-${n}`)),
      ],
    };
  },
};

const reportsOfACommit: Axis = {
  name: 'reports of a commit, each of another fingerprint',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    const original = await originalOf(
      stack,
      () => client.http(report(name, ORIGINAL, ORIGINAL), 201),
      ({ pk }) => /#SHA#|#ARTIFACT#|#FINGERPRINT#|#TRAIL#/.test(pk),
    );
    const fingerprint = fingerprintOf(ORIGINAL);
    const why = 'the answer has all artifacts of the commit';
    return {
      fill: copies(place, original, (n) => {
        const own = fingerprintOf(copyName(n));
        return {
          texts: { [ORIGINAL]: copyName(n), [fingerprint]: own },
          // The first digits of a fingerprint name a partition.
          set: ({ sk }) => (sk.startsWith('F#') ? { pk: testPartition(`${place.org}#SHA#${own.slice(0, 5)}`) } : {}),
        };
      }),
      requests: [
        read('get artifact', `/artifacts/${name}/${FLOW}/fingerprint/${fingerprintOf(COPIED)}`),
        read('search a name', `/search/${name}`, `q=${COMMIT_SHA}`),
        write('report artifact', 201, (n) => report(name, `content ${n}`, 'another-trail')),
        growing(why, read('artifacts of a commit', `/artifacts/${name}/${FLOW}/commit_sha/${COMMIT_SHA}`)),
        growing(why, read('search commit', `/search/${name}/sha/${COMMIT_SHA}`)),
      ],
    };
  },
};

const flowsOfAFingerprint: Axis = {
  name: 'flows that reported a fingerprint',
  sizes: { small: 100, large: 1_000 },
  bound: 'no rule bounds the flows of one artifact; a report of an environment reads the verdict in each of them',
  async prepare(place) {
    const { stack, name, client } = place;
    await makeFlow(place);
    await client.http(report(name, 'the content', TRAIL), 201);
    const original = await originalOf(stack, async () => {
      await makeFlow(place, ORIGINAL);
      await client.http(report(name, 'the content', TRAIL, ORIGINAL), 201);
    });
    const why = 'the verdict depends on each flow that reported the artifact';
    return {
      fill: copies(place, original, named),
      requests: [
        read('get artifact', `/artifacts/${name}/${FLOW}/fingerprint/${FINGERPRINT}`),
        read('list artifacts', `/artifacts/${name}`, 'page=1&per_page=20'),
        write('report artifact', 201, (n) => report(name, 'the content', `trail-${n}`)),
        growing(why, read('assert artifact', `/asserts/${name}/fingerprint/${FINGERPRINT}`)),
        growing('the answer has all flows', read('search fingerprint', `/search/${name}/sha/${FINGERPRINT}`)),
      ],
    };
  },
};

/** What grows about one artifact or one commit. */
export const ARTIFACT_AXES: readonly Axis[] = [reportsOfAFingerprint, reportsOfACommit, flowsOfAFingerprint];
