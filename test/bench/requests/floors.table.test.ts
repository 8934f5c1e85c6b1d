import { afterAll, expect, it } from 'vitest';
import { databaseAddress } from '#test/support/table.ts';
import { startBenchStack } from '../bench-stack.ts';
import { countRequest } from '../counting.ts';
import { makeOrganization } from '../organizations/organizations.ts';
import { LOOKS_AT_MORE, MOST_CALLS, MOST_OF_FLOOR, shownBy } from './floors.ts';
import { REQUESTS } from './requests.ts';

/** Counts of each read in a small organization, at the largest page. The page of the benchmark has those of a large one. */

const TRAILS = 30;
/** rules/lists.md#page-sizes */
const largestPage = (name: string) => (/^list (builds|repos)/.test(name) ? 50 : 100);

const stack = await startBenchStack(databaseAddress());
const organization = await makeOrganization(stack, 'floors', TRAILS, () => undefined);
afterAll(async () => {
  organization.client.close();
  await stack.stop();
});

const reads = REQUESTS.filter(({ kind }) => kind === 'read');

it(`makes at most ${MOST_CALLS} calls and reads at most ${MOST_OF_FLOOR} times the units of the floor, in each read`, async () => {
  const missed: string[] = [];
  for (const { name, build, expected, floor } of reads) {
    const request = build(organization.name, 1, TRAILS);
    const query = request.query?.replace(/per_page=\d+/, `per_page=${largestPage(name)}`);
    const sent = { ...request, ...(query !== undefined && { query }) };
    const { calls, read, answer } = await countRequest(stack, 1, () => organization.client.http(sent, expected));
    const least = floor?.of(shownBy(answer)) ?? { calls: 0, units: 0 };
    const isWithin = calls <= MOST_CALLS && (name in LOOKS_AT_MORE || read <= MOST_OF_FLOOR * least.units);
    if (!isWithin) missed.push(`${name}: ${calls} calls, ${read} units, floor of ${least.units}`);
  }
  expect(missed).toEqual([]);
}, 120_000);
