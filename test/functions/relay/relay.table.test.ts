import { beforeAll, describe, expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { sweep } from '#functions/relay/sweep.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { type FlowId, type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { facetPage, facetSeries } from '#shared/series/facets.ts';
import { activityKey, dueSeriesList } from '#shared/series/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { seriesPage } from '#shared/series/series.ts';
import { milestonesBetween, readMonths } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { type MovableClock, movableClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { entriesAt, entryItem, type TestEntry } from '#test/support/entries.ts';
import { faultyTable } from '#test/support/faults.ts';
import { testId } from '#test/support/ids.ts';
import { recordingEvaluations, recordingExpansions, recordingQueue } from '#test/support/queue.ts';
import { streamEvent, streamRecord } from '#test/support/stream.ts';
import { testTable } from '#test/support/table.ts';
import { attest, momentItems, testObjects, trailWriter } from '#test/support/trails.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const START = Date.UTC(2026, 5, 15, 12) * 1000;

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

const recordingQueues = () => ({
  deliveries: recordingQueue().queue,
  expansions: recordingExpansions().queue,
  evaluations: recordingEvaluations().queue,
});

let organizations = 0;
interface Setting {
  org: OrganizationId;
  clock: MovableClock;
  memory: RelayMemory;
  logged: { message: string; facts: Record<string, unknown> }[];
  /** Stores items and hands them to the relay, as writers and the stream do. */
  write(items: readonly Item[]): ReturnType<typeof relay>;
  /** Hands items to the relay as the stream would. */
  hand(items: readonly Item[]): ReturnType<typeof relay>;
  sweep(): Promise<void>;
}

function setup(): Setting {
  organizations += 1;
  const org = newId<OrganizationId>(START + organizations * 1000);
  const clock = movableClock(START);
  const memory = new RelayMemory();
  const logged: Setting['logged'] = [];
  const log = (message: string, facts: Record<string, unknown>) => void logged.push({ message, facts });
  const services = { table, clock, objects: testObjects(), ...recordingQueues() };
  const hand: Setting['hand'] = (items) =>
    heldTo('relay', RELAY_USES, () => relay(streamEvent(items), services, { memory, log }));
  return {
    org,
    clock,
    memory,
    logged,
    hand,
    sweep: () => heldTo('relay', RELAY_USES, () => sweep(services, { memory, log })),
    async write(items) {
      await table.putMany(items);
      return hand(items);
    },
  };
}

const builds = (count: number, start = START): TestEntry[] =>
  entriesAt(
    Array.from({ length: count }, (_, i) => start + i * 1000),
    (i) => ({ p: `repo-${i % 2}` }),
  );

const itemsOf = (org: OrganizationId, entries: readonly TestEntry[], series = 'builds') =>
  entries.map((entry) => entryItem(org, series, entry));

describe('the relay', { timeout: 120_000 }, () => {
  test('registers the months of new entries, of their facets too', async () => {
    const { org, write } = setup();
    const old = builds(1, Date.UTC(2020, 0, 31) * 1000);
    expect(await write(itemsOf(org, [...old, ...builds(2)]))).toEqual({ batchItemFailures: [] });
    const months = ['202001', '202605', '202606'];
    expect(await readMonths(table, org, 'builds', START)).toEqual(months);
    expect(await readMonths(table, org, facetSeries('builds', { p: 'repo-0' }), START)).toEqual(months);
  });

  test('appends milestones after entries have settled, at most once a minute', async () => {
    const { org, clock, write } = setup();
    const entries = builds(300);
    await write(itemsOf(org, entries));
    const milestones = () => milestonesBetween(table, org, 'builds', 0, 10_000);
    clock.advance(SETTLING_MICROS - MINUTE);
    await write(itemsOf(org, builds(1, START + MINUTE)));
    expect(await milestones()).toEqual([]);
    clock.advance(MINUTE + SECOND);
    await write(itemsOf(org, builds(1, START + 2 * MINUTE)));
    expect(await milestones()).toEqual([{ total: 256, first: entries[256]?.id }]);
    const all = { page: 1, perPage: 1_000 };
    expect((await seriesPage(table, org, 'builds', all, clock.now())).total).toBe(302);
    expect((await facetPage(table, org, 'builds', { p: 'repo-0' }, all, clock.now())).total).toBe(152);
  });

  test('changes nothing for a repeated batch', async () => {
    const { org, clock, hand, logged } = setup();
    const items = itemsOf(org, builds(300));
    await table.putMany(items);
    clock.advance(10 * MINUTE);
    for (let time = 0; time < 3; time += 1) {
      expect(await hand(items)).toEqual({ batchItemFailures: [] });
      clock.advance(2 * MINUTE);
    }
    expect(await milestonesBetween(table, org, 'builds', 0, 10_000)).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  test('counts again from an entry behind a milestone, and raises an alarm', async () => {
    const { org, clock, write, logged } = setup();
    await write(itemsOf(org, builds(300)));
    clock.advance(10 * MINUTE);
    await write(itemsOf(org, builds(1, START + 9 * MINUTE)));
    const late = { ...builds(1, START + 50_500)[0], r: 'late' } as TestEntry;
    await write(itemsOf(org, [late]));
    expect(logged).toMatchObject([{ facts: { organization: org, entry: late.id, wrong_milestones: 1 } }]);
    const page = await seriesPage(table, org, 'builds', { page: 1, perPage: 1_000 }, clock.now());
    expect(page.total).toBe(302);
    expect(page.entries.map(({ r }) => r)).toContain('late');
  });

  test('reports the first unreadable record after it applied the records before', async () => {
    const { org, logged } = setup();
    const [first, second] = itemsOf(org, builds(2));
    if (!first || !second) throw new Error('Two entries were asked for');
    const poison = streamRecord(momentItem(org, testId('flow'), { body: 'not JSON' }));
    const records = [streamRecord(first), poison, streamRecord(second)];
    const answer = await relay(
      { Records: records },
      { table, objects: testObjects(), clock: movableClock(START), ...recordingQueues() },
      {
        memory: new RelayMemory(),
        log: (message, facts) => void logged.push({ message, facts }),
      },
    );
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: poison.dynamodb?.SequenceNumber }] });
    expect(logged).toMatchObject([{ facts: { event: poison.eventID, error: 'SyntaxError' } }]);
    expect((await table.query({ pk: dueSeriesList(org) })).map(({ sk }) => sk)).toEqual(['builds']);
  });

  test('reports the first record whose effect failed, and applies the others', async () => {
    const { org, memory, logged } = setup();
    const broken = faultyTable(table, ({ command, input }) =>
      command === 'Update' && JSON.stringify(input['Key']).includes('#ACTIVITY') ? 'throttle' : undefined,
    );
    const moment = momentItem(org, testId('flow'));
    const event = streamEvent([...itemsOf(org, builds(1)), moment, ...itemsOf(org, builds(1), 'trails')]);
    const answer = await relay(
      event,
      { table: broken, objects: testObjects(), clock: movableClock(START), ...recordingQueues() },
      {
        memory,
        log: (message, facts) => void logged.push({ message, facts }),
      },
    );
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: event.Records[1]?.dynamodb?.SequenceNumber }]);
    expect(logged).toMatchObject([{ facts: { error: 'ThrottlingException' } }]);
    expect((await table.query({ pk: dueSeriesList(org) })).map(({ sk }) => sk)).toEqual(['builds', 'trails']);
  });

  test('skips all other items', async () => {
    const { org, hand, logged } = setup();
    const others = [
      { pk: '@ORGS', sk: org },
      { pk: `${org}#TRAIL#f#t`, sk: 'H', bytes: Buffer.from('x'), list: [1, { a: null }] },
      { pk: `${org}#MILESTONES#builds`, sk: 'HEAD', months: new Set(['202606']) },
      ...itemsOf(org, builds(1), facetSeries('builds', { p: 'repo-0' })),
    ];
    expect(await hand(others)).toEqual({ batchItemFailures: [] });
    expect(await table.query({ pk: dueSeriesList(org) })).toEqual([]);
    expect(logged).toEqual([]);
  });
});

const momentItem = (org: OrganizationId, flow: FlowId, overrides: Record<string, unknown> = {}): Item => ({
  pk: `${org}#MOMENT#${flow}#trail`,
  sk: '0000000001',
  at: 1,
  body: momentBody('COMPLIANT'),
  kind: 'trail_updated',
  trail: 'trail-id-1',
  name: 'trail',
  ...overrides,
});

const momentBody = (word: string, repo?: Id) =>
  JSON.stringify({
    changes: [],
    template: null,
    ownTemplate: null,
    fields: null,
    word,
    by: { id: 'i', name: 'n' },
    ...(repo !== undefined && { repo }),
  });

describe('the activity of a flow', () => {
  const activity = async (org: OrganizationId, flow: FlowId) => {
    const item = await table.get(activityKey(org, 'flow', flow));
    return item && { at: item['at'], state: item['state'] };
  };
  const momentAt = (org: OrganizationId, at: number, word: string, flow: FlowId = testId('flow-id-1')): Item =>
    momentItem(org, flow, { at, body: momentBody(word) });

  test('is the time and the word of its latest moment', async () => {
    const { org, clock, hand } = setup();
    const writer = trailWriter(table, org, clock);
    await attest(writer, { flow: 'web', trail: 'one' }, { name: 'tests' });
    await attest(writer, { flow: 'web', trail: 'two' }, { name: 'tests', compliant: false });
    const flow = testId<FlowId>(String((await table.get({ pk: `${org}#FLOWNAME#web`, sk: 'NAME' }))?.['flow']));
    const moments = [...(await momentItems(table, org, flow, 'two')), ...(await momentItems(table, org, flow, 'one'))];
    await hand(moments);
    const times = moments.map((moment) => Number(moment['at']));
    expect(await activity(org, flow)).toEqual({ at: Math.max(...times), state: 'NON-COMPLIANT' });
  });

  test('gets a changed state at once and a later time once a minute', async () => {
    const { org, clock, hand } = setup();
    await hand([momentAt(org, START, 'INCOMPLETE')]);
    await hand([momentAt(org, START + 1, 'INCOMPLETE')]);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START, state: 'INCOMPLETE' });
    await hand([momentAt(org, START + 2, 'COMPLIANT')]);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 2, state: 'COMPLIANT' });
    await hand([momentAt(org, START + 3, 'COMPLIANT')]);
    clock.advance(MINUTE);
    await hand([momentAt(org, START, 'COMPLIANT', testId('another-flow'))]);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 3, state: 'COMPLIANT' });
  });

  test('is written by the next sweep if it was postponed', async () => {
    const { org, clock, hand, sweep } = setup();
    await hand([momentAt(org, START, 'COMPLIANT')]);
    await hand([momentAt(org, START + 7, 'COMPLIANT')]);
    clock.advance(MINUTE);
    await sweep();
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 7, state: 'COMPLIANT' });
  });

  test('is never replaced by an older one', async () => {
    const { org, hand } = setup();
    await hand([momentAt(org, START + 9, 'COMPLIANT')]);
    await hand([momentAt(org, START + 1, 'NON-COMPLIANT')]);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 9, state: 'COMPLIANT' });
  });
});

describe('the activity of a repository', () => {
  const activity = async (org: OrganizationId, repo: Id) => (await table.get(activityKey(org, 'repo', repo)))?.['at'];
  const momentAt = (org: OrganizationId, at: number, repo?: Id): Item =>
    momentItem(org, testId('flow-id-1'), { at, body: momentBody('COMPLIANT', repo) });

  test('is the time of the latest report with the repository, once a minute', async () => {
    const { org, clock, hand, sweep } = setup();
    await hand([momentAt(org, START + 1, 'repo-1'), momentAt(org, START + 5, 'repo-1'), momentAt(org, START + 9)]);
    expect([await activity(org, 'repo-1'), await activity(org, 'repo-2')]).toEqual([START + 5, undefined]);
    await hand([momentAt(org, START + 20, 'repo-1'), momentAt(org, START + 3, 'repo-2')]);
    expect([await activity(org, 'repo-1'), await activity(org, 'repo-2')]).toEqual([START + 5, START + 3]);
    clock.advance(MINUTE);
    await sweep();
    expect(await activity(org, 'repo-1')).toEqual(START + 20);
  });
});

describe('a sweep', { timeout: 120_000 }, () => {
  const known = async (org: OrganizationId) => {
    const organization = { id: org, name: `org-${org}`, kind: 'shared', features: [], createdAt: START } as const;
    await new Directory(table).createOrganization({ ...organization, features: [] });
  };

  test('finishes the milestones of series and facets without further entries, then removes them from the list', async () => {
    const { org, clock, write, sweep, logged } = setup();
    await known(org);
    const entries = builds(300);
    await write(itemsOf(org, entries));
    const due = async () => (await table.query({ pk: dueSeriesList(org) })).map(({ sk }) => sk);
    await sweep();
    expect(await due()).toEqual(['builds']);
    clock.advance(SETTLING_MICROS + MINUTE);
    await sweep();
    expect(await milestonesBetween(table, org, 'builds', 0, 10_000)).toHaveLength(1);
    const facet = facetSeries('builds', { p: 'repo-0' });
    expect(await due()).toContain(facet);
    clock.advance(20 * MINUTE);
    await sweep();
    await sweep();
    expect(await due()).toEqual([]);
    expect(logged).toEqual([]);
    const page = await facetPage(table, org, 'builds', { p: 'repo-0' }, { page: 1, perPage: 1_000 }, clock.now());
    expect(page.total).toBe(150);
  });

  test('continues after a part failed, and logs the failure', async () => {
    const { org, clock, write, sweep, logged } = setup();
    await known(org);
    await write(itemsOf(org, builds(300)));
    await table.put({ pk: dueSeriesList(org), sk: 'aaa-broken', v: 1, at: 'no number' });
    clock.advance(SETTLING_MICROS + MINUTE);
    await expect(sweep()).rejects.toThrow('1 parts of a sweep failed');
    expect(logged).toMatchObject([{ facts: { organization: org, series: 'aaa-broken' } }]);
    expect(await milestonesBetween(table, org, 'builds', 0, 10_000)).toHaveLength(1);
    await table.write({ remove: { pk: dueSeriesList(org), sk: 'aaa-broken' } });
  });
});
