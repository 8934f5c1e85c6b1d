import { describe, expect, it } from 'vitest';
import { micros, toSeconds } from '#shared/base/time.ts';
import { sealLink } from '#shared/environments/records/chain.ts';
import { snapshotKey, snapshotTimeKey } from '#shared/environments/records/keys.ts';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { invalidFields, refusal } from '#test/support/evidence.ts';
import { readingOrganization, type SummaryJson, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const SECOND = 1_000_000;

/** An environment that had so many snapshots, the even ones compliant, one each second from second 1000 on. */
async function withHistory(count: number) {
  const acme = await readingOrganization(api);
  const { table } = api.services;
  await acme.putEnvironment('prod');
  await acme.run('prod', onServer({ app: 'a' }));
  const { id } = await acme.head('prod');
  const summary = { name: 'prod', state: null, known: null, events: 0, eventsBefore: 0 };
  const hash = new Uint8Array(32);
  const at = (index: number) => (1000 + index) * SECOND;
  const indexes = Array.from({ length: count }, (_, i) => i + 1);
  await table.putMany(
    indexes.flatMap((index) => [
      {
        ...{ ...snapshotKey(acme.id, id, index), v: 1 },
        ...sealLink(
          { org: acme.id, environment: id, number: index, at: micros(at(index)) },
          { ...summary, compliant: index % 2 === 0 },
          hash,
          hash,
        ),
      },
      { ...snapshotTimeKey(acme.id, id, micros(at(index))), v: 1, index },
    ]),
  );
  await table.update(storedKey(`${acme.id}#ENV#${id}`, 'HEAD'), {
    UpdateExpression: 'SET #index = :index, #at = :at',
    ExpressionAttributeNames: { '#index': 'index', '#at': 'at' },
    ExpressionAttributeValues: { ':index': count, ':at': at(count) },
  });
  return acme;
}

describe('GET /snapshots/{org}/{env_name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/snapshots/${org}/prod`, needs: 'reader' });

  it('answers the summaries, newest first, each ending at the time of the next one', async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('prod');
    expect(await acme.list('prod')).toMatchObject({ status: 200, json: [] });
    await acme.run('prod', onServer({ app: 'a' }));
    await acme.putPolicy('open', '_schema: https://x.example/v1');
    await acme.attach('prod', 'open');
    const [first, second] = await acme.snapshots('prod');
    if (!first || !second) throw new Error('two snapshots');
    const [from, to] = [toSeconds(first.at), toSeconds(second.at)];
    const before = toSeconds(api.services.clock.now());
    const shown = (await acme.list('prod')).json as SummaryJson[];
    const after = toSeconds(api.services.clock.now());
    expect(shown).toEqual([
      { index: 2, from: to, to: 0, compliant: true, state: true, duration: expect.any(Number) },
      { index: 1, from, to, compliant: false, state: null, duration: toSeconds(micros(second.at - first.at)) },
    ]);
    expect(shown[0]?.duration).toBeGreaterThanOrEqual(before - to);
    expect(shown[0]?.duration).toBeLessThanOrEqual(after - to);
  });

  it('pages by number, whole or within an interval, in either direction', async () => {
    const acme = await withHistory(40);
    const pages = async (query: string) =>
      [await acme.indexes('prod', `${query}&page=1`), await acme.indexes('prod', `${query}&page=2`)] as const;
    expect(await acme.indexes('prod')).toEqual(Array.from({ length: 15 }, (_, i) => 40 - i));
    expect(await pages('per_page=3')).toEqual([
      [40, 39, 38],
      [37, 36, 35],
    ]);
    expect(await pages('per_page=3&reverse=True')).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(await pages('per_page=4&interval=10..15')).toEqual([
      [15, 14, 13, 12],
      [11, 10],
    ]);
    expect(await pages('per_page=4&interval=~29..15&reverse=1')).toEqual([[11, 12, 13, 14], [15]]);
    expect(await pages('per_page=40&interval=&reverse=false')).toEqual([
      Array.from({ length: 40 }, (_, i) => 40 - i),
      [],
    ]);
    expect(await acme.indexes('prod', 'page=4&per_page=15')).toEqual([]);
    expect(await acme.indexes('prod', `page=${2 ** 50}`)).toEqual([]);
    expect(await acme.indexes('prod', `interval=${encodeURIComponent('@{1970-01-01T00:16:45}..7')}`)).toEqual([
      7, 6, 5,
    ]);
    expect(await acme.indexes('prod', 'interval=1..999&per_page=2')).toEqual([40, 39]);
    for (const outside of ['50..60', '41..', '41', '-99..~99']) {
      expect(await acme.list('prod', `interval=${outside}`)).toMatchObject({
        status: 200,
        json: [],
        headers: { 'x-total-count': '0', 'x-total-pages': '0' },
      });
    }
  });

  it('gives the total of the interval and links in headers', async () => {
    const acme = await withHistory(7);
    const { headers } = await acme.list('prod', 'interval=2..6&per_page=2&page=2');
    expect(headers).toMatchObject({
      'x-total-count': '5',
      'x-total-pages': '3',
      'x-per-page': '2',
      'x-current-page': '2',
    });
    const address = (page: number) =>
      `<https://api.example/api/v2/snapshots/${acme.org}/prod?interval=2..6&per_page=2&page=${page}>`;
    expect(headers['link']).toBe(
      [
        `${address(1)}; rel="first"`,
        `${address(1)}; rel="prev"`,
        `${address(3)}; rel="next"`,
        `${address(3)}; rel="last"`,
      ].join(', '),
    );
  });

  it("shows the end of a page's newest snapshot in the middle of the history", async () => {
    const acme = await withHistory(4);
    const { json } = await acme.list('prod', 'interval=2..3');
    expect(json).toEqual([
      { index: 3, from: 1003, to: 1004, compliant: false, state: null, duration: 1 },
      { index: 2, from: 1002, to: 1003, compliant: true, state: null, duration: 1 },
    ]);
    const reversed = await acme.list('prod', 'interval=2..3&reverse=true&per_page=1');
    expect(reversed.json).toEqual([{ index: 2, from: 1002, to: 1003, compliant: true, state: null, duration: 1 }]);
  });

  it('has pages of up to a thousand, and reads the last page with as many calls as the first', async () => {
    const acme = await withHistory(1200);
    expect(await acme.indexes('prod', 'per_page=1000')).toHaveLength(1000);
    const cost = async (query: string) => {
      const { status } = await acme.list('prod', query);
      const { aws_calls: calls, aws_sequential: trips } = api.entries.at(-1) as unknown as Record<string, number>;
      return { status, calls, trips };
    };
    expect(await cost('per_page=2&page=600')).toEqual(await cost('per_page=2&page=1'));
    expect(await cost('per_page=2')).toEqual({ status: 200, calls: 2, trips: 2 });
    const bounded = await cost(`interval=${encodeURIComponent('@{1970-01-01T00:16:45}..~5')}`);
    expect(bounded.trips).toBeLessThanOrEqual(5);
  });

  it('refuses malformed parameters before it looks for the environment', async () => {
    const acme = await readingOrganization(api);
    const ask = async (query: string) => refusal(await acme.list('nowhere', query));
    const form = "Input should be one snapshot expression or two joined by '..'";
    expect(await ask('interval=1...2')).toEqual(invalidFields({ 'query.interval': `${form} [input: 1...2]` }));
    expect(await ask('interval=abc')).toEqual(invalidFields({ 'query.interval': `${form} [input: abc]` }));
    expect(await ask('page=0&per_page=0&reverse=maybe')).toEqual(
      invalidFields({
        'query.page': 'Input should be greater than or equal to 1 [input: 0]',
        'query.per_page': 'Input should be greater than or equal to 1 [input: 0]',
        'query.reverse': 'Input should be a valid boolean, unable to interpret input [input: maybe]',
      }),
    );
    expect(await ask('per_page=1001')).toEqual(
      invalidFields({ 'query.per_page': 'Input should be less than or equal to 1000 [input: 1001]' }),
    );
    expect(await ask('page=x')).toEqual(
      invalidFields({
        'query.page': 'Input should be a valid integer, unable to parse string as an integer [input: x]',
      }),
    );
  });

  it('answers the sentence about a flow for an unknown environment, with the longer sentence in `detail`', async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('old');
    await acme.call('PUT', `/environments/${acme.org}/old/archive`, { text: 'null' });
    for (const env of ['nowhere', 'old', 'a#b', 'x'.repeat(5000)]) {
      expect(refusal(await acme.list(env))).toEqual([
        404,
        {
          message: 'Flow not found',
          detail: `Environment named '${env}' does not exist for organization '${acme.org}'`,
        },
      ]);
    }
  });

  it('finds an environment by a former name', async () => {
    const acme = await withHistory(2);
    await acme.call('PUT', `/environments/${acme.org}/prod/rename`, { json: { new_name: 'live' } });
    expect(await acme.indexes('prod')).toEqual([2, 1]);
    expect(await acme.indexes('live')).toEqual([2, 1]);
  });
});
