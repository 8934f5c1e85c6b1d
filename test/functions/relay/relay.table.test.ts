import { describe, expect, test } from 'vitest';
import { relay, SETTLE_MILLIS } from '#functions/relay/relay.ts';
import { RELAY_LINES } from '#infra/constructs/log-lines.ts';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import { EVIDENCE_FACETS, FLOWS } from '#shared/evidence/rules/series-kinds.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { facetPage, facetSeries } from '#shared/series/facets.ts';
import { activityKey, dueSeriesList } from '#shared/series/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { seriesPage } from '#shared/series/series.ts';
import { milestonesBetween, readMonths } from '#shared/series/series-entries.ts';
import { keyIn, storedKey } from '#shared/table/keys.ts';
import { movableClock } from '#test/support/clock.ts';
import { testId } from '#test/support/ids.ts';
import { recordingQueues } from '#test/support/queue.ts';
import { entriesAt, entryItem, type TestEntry } from '#test/support/table/entries.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { streamEvent } from '#test/support/table/stream.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';
import { MINUTE, momentBody, momentItem, relaySetting, SECOND, START } from './relay-setting.ts';

const table = await testTable();
const setup = () => relaySetting(table);

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
    const old = builds(1, fromMillis(Date.UTC(2020, 0, 31)));
    expect(await write(itemsOf(org, [...old, ...builds(2)]))).toEqual({ batchItemFailures: [] });
    const months = ['202001', '202605', '202606'];
    expect(await readMonths(table, org, 'builds', START)).toEqual(months);
    expect(await readMonths(table, org, facetSeries(EVIDENCE_FACETS, 'builds', { p: 'repo-0' }), START)).toEqual(
      months,
    );
  });

  test('appends milestones after entries have settled, at most once a minute', async () => {
    const { org, clock, write } = setup();
    const entries = builds(75);
    await write(itemsOf(org, entries));
    const milestones = () => milestonesBetween(table, org, 'builds', 0, 10_000);
    clock.advance(SETTLING_MICROS - MINUTE);
    await write(itemsOf(org, builds(1, plus(START, MINUTE))));
    expect(await milestones()).toEqual([]);
    clock.advance(MINUTE + SECOND);
    await write(itemsOf(org, builds(1, plus(START, 2 * MINUTE))));
    expect(await milestones()).toEqual([{ total: 64, first: entries[64]?.id }]);
    const all = { page: 1, perPage: 1_000 };
    expect((await seriesPage(table, org, 'builds', all, clock.now())).total).toBe(77);
    expect((await facetPage(table, org, EVIDENCE_FACETS, 'builds', { p: 'repo-0' }, all, clock.now())).total).toBe(40);
  });

  test('hands series to the expander if the time of a batch is over, and the expander works in pieces', async () => {
    const { org, clock, hand, expand, sweep } = setup();
    const entries = builds(275);
    const items = itemsOf(org, entries);
    await table.putMany(items);
    clock.advance(10 * MINUTE);
    const times = [0];
    expect(await hand(items.slice(0, 1), () => times.shift() ?? SETTLE_MILLIS)).toEqual({ batchItemFailures: [] });
    const milestones = async () => (await milestonesBetween(table, org, 'builds', 0, 10_000)).map(({ total }) => total);
    expect(await milestones()).toEqual([]);
    // Each call of the expander appends one milestone, and its message goes behind those of other organizations.
    expect(await expand(false)).toEqual(Array.from({ length: 5 }, () => 'settle'));
    expect(await milestones()).toEqual([64, 128, 192, 256]);
    // The expander had no time for facets. The sweep finds them in the list of due series.
    clock.advance(10 * MINUTE);
    await sweep();
    const page = await facetPage(
      table,
      org,
      EVIDENCE_FACETS,
      'builds',
      { p: 'repo-0' },
      { page: 1, perPage: 10 },
      clock.now(),
    );
    expect(page.total).toBe(138);
    expect(
      await milestonesBetween(table, org, facetSeries(EVIDENCE_FACETS, 'builds', { p: 'repo-0' }), 0, 10_000),
    ).toHaveLength(1);
  });

  test('changes nothing for a repeated batch', async () => {
    const { org, clock, hand, logged } = setup();
    const items = itemsOf(org, builds(75));
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
    const { org, clock, write, expand, logged } = setup();
    await write(itemsOf(org, builds(75)));
    clock.advance(10 * MINUTE);
    await write(itemsOf(org, builds(1, plus(START, 9 * MINUTE))));
    const late = { ...builds(1, plus(START, 50_500))[0], r: 'late' } as TestEntry;
    await write(itemsOf(org, [late]));
    expect(logged).toMatchObject([{ facts: { organization: org, entry: late.id } }]);
    expect(await expand()).toEqual(['recount']);
    const page = await seriesPage(table, org, 'builds', { page: 1, perPage: 1_000 }, clock.now());
    expect(page.total).toBe(77);
    expect(page.entries.map(({ r }) => r)).toContain('late');
  });

  test.each([0, 1, 2])('sets an unreadable record aside and applies all others: place %i of three', async (place) => {
    const { org, logged, hand, setAside } = setup();
    const flow = testId<FlowId>('flow');
    const poison = momentItem(org, flow, { body: 'not JSON' });
    const items = itemsOf(org, builds(2)).toSpliced(place, 0, poison);
    expect(await hand(items)).toEqual({ batchItemFailures: [] });
    expect(logged).toMatchObject([
      { message: RELAY_LINES.setAside, facts: { pk: poison.pk, sk: poison.sk, error: 'SyntaxError' } },
    ]);
    expect(await setAside()).toMatchObject([{ item: { pk: poison.pk, sk: poison.sk }, attempts: 0 }]);
    expect((await table.query({ pk: dueSeriesList(org) })).map(({ sk }) => sk)).toEqual(['builds']);
    expect(await hand(items)).toEqual({ batchItemFailures: [] });
    expect(await setAside()).toHaveLength(1);
  });

  test.each([2, 9, 100])('sets a record aside whose effect cannot succeed, and no other of %i', async (size) => {
    const { org, logged, hand, setAside } = setup();
    const moments = Array.from({ length: size - 1 }, (_, i) => momentItem(org, testId(`flow-${i}`), { at: i + 1 }));
    // No item can hold this text: the database refuses the write for good.
    const poison = momentItem(org, testId('flow-x'), { body: momentBody('x'.repeat(500_000)) });
    const items = moments.toSpliced(Math.floor(size / 2), 0, poison);
    expect(await hand(items)).toEqual({ batchItemFailures: [] });
    expect(await setAside()).toMatchObject([{ item: { pk: poison.pk } }]);
    expect(logged.map(({ message }) => message)).toEqual([RELAY_LINES.setAside]);
    const found = await table.getMany(moments.map((_, i) => activityKey(org, FLOWS.name, testId(`flow-${i}`))));
    expect(found.size).toBe(size - 1);
  });

  test('tries a record again that was set aside, in growing intervals, until its effects succeed', async () => {
    const { org, clock, logged, hand, setAside, tryAgain } = setup();
    const flow = testId<FlowId>('flow-mended');
    const item = momentItem(org, flow, { body: 'not JSON' });
    await table.put(item);
    await hand([item]);
    logged.length = 0;
    await tryAgain();
    expect(logged).toEqual([]);
    clock.advance(5 * MINUTE);
    await tryAgain();
    await tryAgain();
    expect(logged).toMatchObject([{ message: RELAY_LINES.setAsideAgain, facts: { pk: item.pk, attempts: 1 } }]);
    // A release mends what the record says.
    await table.put(momentItem(org, flow));
    clock.advance(9 * MINUTE);
    await tryAgain();
    expect(await setAside()).toMatchObject([{ attempts: 1 }]);
    clock.advance(MINUTE);
    expect(await tryAgain()).toBe(1);
    expect(await setAside()).toEqual([]);
    expect(await table.get(activityKey(org, FLOWS.name, flow))).toMatchObject({ state: 'COMPLIANT' });
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
      storedKey('@ORGS', org),
      { ...storedKey(`${org}#TRAIL#f#t`, 'H'), bytes: Buffer.from('x'), list: [1, { a: null }] },
      { ...storedKey(`${org}#MILESTONES#builds`, 'HEAD'), months: new Set(['202606']) },
      ...itemsOf(org, builds(1), facetSeries(EVIDENCE_FACETS, 'builds', { p: 'repo-0' })),
    ];
    expect(await hand(others)).toEqual({ batchItemFailures: [] });
    expect(await table.query({ pk: dueSeriesList(org) })).toEqual([]);
    expect(logged).toEqual([]);
  });
});

describe('a sweep', { timeout: 120_000 }, () => {
  const known = async (org: OrganizationId) => {
    const organization = {
      id: org,
      name: `org-${org}`,
      kind: 'shared',
      features: [],
      createdAt: START,
    } as const;
    await new Directory(table).createOrganization({ ...organization, features: [] });
  };

  test('finishes the milestones of series and facets without further entries, then removes them from the list', async () => {
    const { org, clock, write, sweep, logged } = setup();
    await known(org);
    const entries = builds(75);
    await write(itemsOf(org, entries));
    const due = async () => (await table.query({ pk: dueSeriesList(org) })).map(({ sk }) => sk);
    await sweep();
    expect(await due()).toEqual(['builds']);
    clock.advance(SETTLING_MICROS + MINUTE);
    await sweep();
    expect(await milestonesBetween(table, org, 'builds', 0, 10_000)).toHaveLength(1);
    const facet = facetSeries(EVIDENCE_FACETS, 'builds', { p: 'repo-0' });
    expect(await due()).toContain(facet);
    clock.advance(20 * MINUTE);
    await sweep();
    await sweep();
    expect(await due()).toEqual([]);
    expect(logged).toEqual([]);
    const page = await facetPage(
      table,
      org,
      EVIDENCE_FACETS,
      'builds',
      { p: 'repo-0' },
      { page: 1, perPage: 1_000 },
      clock.now(),
    );
    expect(page.total).toBe(38);
  });

  test('continues after a part failed, and logs the failure', async () => {
    const { org, clock, write, sweep, logged } = setup();
    await known(org);
    await write(itemsOf(org, builds(75)));
    await table.put({ ...keyIn(dueSeriesList(org), 'aaa-broken'), v: 1, at: 'no number' });
    clock.advance(SETTLING_MICROS + MINUTE);
    await expect(sweep()).rejects.toThrow('1 visits failed');
    expect(logged).toMatchObject([
      { message: RELAY_LINES.failedSweeps, facts: { organization: org, series: 'aaa-broken' } },
      { message: 'A visit of an organization failed; its message comes again' },
    ]);
    expect(await milestonesBetween(table, org, 'builds', 0, 10_000)).toHaveLength(1);
    await table.write({ remove: keyIn(dueSeriesList(org), 'aaa-broken') });
  });
});
