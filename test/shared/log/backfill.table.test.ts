import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { backfillLog } from '#shared/log/backfill.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import { publishMessage } from '#shared/log/log-message.ts';
import { readBackfill } from '#shared/log/records/backfill.ts';
import { readHead } from '#shared/log/records/log-state.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsApi, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { testPartition } from '#test/support/ids.ts';
import { checkedEntries, integratorOf, LOG_KEY, logOrigin } from '#test/support/log/log.ts';
import { itemsOf, relayOf } from '#test/support/relay.ts';
import { attest, momentItems, trailWriter } from '#test/support/trails.ts';

const api = await environmentsApi();
const { table, clock } = api.services;
const { services, integrate, work } = integratorOf(table, { clock });
const keys = { ...api.services.keys, log: async () => LOG_KEY };

const backfill = (organization: string) =>
  heldTo('operator', OPERATOR_USES, () =>
    runOperator(
      { ...api.services, objects: services.objects, keys, origin: logOrigin },
      { command: 'backfill-log', organization },
    ),
  );

/** An organization with two trails of 3 moments, an environment and an archived one. None of it is in the log. */
async function olderOrganization() {
  const acme = await environmentsOfOrganization(api);
  const writer = trailWriter(table, acme.id, clock);
  for (const trail of ['one', 'two']) {
    for (const name of ['lint', 'tests']) await attest(writer, { flow: 'web', trail }, { name });
  }
  for (const name of ['gone', 'prod']) {
    await acme.putEnvironment(name);
    await acme.run(name, onServer({ api: 'api' }));
  }
  await acme.run('prod', onServer({ api: 'api', web: 'web' }));
  expect((await acme.call('PUT', `/environments/${acme.org}/gone/archive`)).status).toBe(200);
  const [flowItem] = await table.query({ pk: testPartition(`${acme.id}#FLOWNAME#web`) });
  const moments = (trail: string) => momentItems(table, acme.id, String(flowItem?.['flow']) as never, trail);
  const audit = () => table.query({ pk: auditPartition(acme.id, monthOf(acme.id)) });
  return { ...acme, moments, audit };
}

describe('operator backfill-log', () => {
  it('appends each old record once, and stores up to which index the log got entries late', async () => {
    const acme = await olderOrganization();
    const [first] = await acme.audit();
    // As an earlier release wrote it.
    if (first) await table.put({ ...first, salt: undefined });
    // Live traffic brought a part of a trail before.
    const [moment] = (await acme.moments('two')).map((item) => entryOfItem(item)?.bytes);
    if (moment) await integrate(acme.id, [moment]);

    expect(await backfill(acme.org)).toMatchObject({ ok: true, done: true, problems: 0 });
    await work([publishMessage(acme.id).body]);
    const entries = await checkedEntries(services, acme.id);
    const kinds = entries.map((bytes) => parseEntry(bytes).subject.kind);
    const count = (kind: string) => kinds.filter((one) => one === kind).length;
    const audit = await acme.audit();
    expect([count('trail'), count('environment'), count('audit')]).toEqual([6, 3, audit.length]);
    expect(new Set(entries.map(String)).size).toBe(entries.length);
    expect(entries.map(String)).toEqual(expect.arrayContaining(audit.map((item) => String(entryOfItem(item)?.bytes))));
    const head = await readHead(table, acme.id);
    expect(head?.backfilled).toEqual({ index: entries.length, at: expect.any(Number) });

    expect(await backfill(acme.org)).toMatchObject({ ok: true, appended: 0, done: true });
    expect(await readHead(table, acme.id)).toEqual(head);
  });

  it('continues where it was interrupted', async () => {
    const acme = await olderOrganization();
    const writer = trailWriter(table, acme.id, clock);
    // With the two others they are more than a portion.
    for (let i = 0; i < 19; i += 1) await attest(writer, { flow: 'web', trail: `run-${i}` }, { name: 'lint' });
    const own = { ...services, guarded: new GuardedLogs() };
    const log = () => {};
    const places: unknown[] = [];
    for (let isDone = false; !isDone; ) {
      const times = [true, false];
      const portion = await backfillLog(own, acme.id, { log, isTime: () => times.shift() ?? false });
      if (portion === 'busy') throw new Error('Nobody else writes to this log');
      ({ isDone } = portion);
      places.push((await readBackfill(table, acme.id))?.stage ?? null);
    }
    expect([...new Set(places)]).toEqual(['trails', 'environments', 'audit', 'evaluations', null]);
    expect((await readHead(table, acme.id))?.range.size).toBe(9 + 19 * 2 + (await acme.audit()).length);
  });

  it('appends each record once, without gaps, while live traffic appends to the same trails and environments', async () => {
    const acme = await olderOrganization();
    const writer = trailWriter(table, acme.id, clock);
    const relay = relayOf(api.services, acme.id);
    // The messages of the older records are lost.
    await relay.changed();
    const own = { ...services, guarded: new GuardedLogs() };
    const published: Buffer[][] = [];
    let steps = 0;
    for (let isDone = false; !isDone; steps += 1) {
      for (const trail of ['one', `new-${steps}`]) {
        await attest(writer, { flow: 'web', trail }, { name: `scan-${steps}` });
      }
      await acme.run('prod', onServer({ api: `api-${steps}` }));
      await relay.hand(await relay.changed());
      const times = [true, false];
      const [portion, failed] = await Promise.all([
        backfillLog(own, acme.id, { log: () => {}, isTime: () => times.shift() ?? false }),
        work(relay.takeEntries()),
      ]);
      expect(failed).toBe(0);
      if (portion === 'busy') throw new Error('Live traffic was in the way for 20 seconds');
      ({ isDone } = portion);
      published.push(await checkedEntries(services, acme.id));
    }
    expect(steps).toBeGreaterThan(3);
    await work([publishMessage(acme.id).body]);
    const entries = (await checkedEntries(services, acme.id)).map(String);
    for (const earlier of published) expect(entries.slice(0, earlier.length)).toEqual(earlier.map(String));
    const stored = (await itemsOf(table.name, acme.id)).filter(hasEntry);
    expect(entries.toSorted()).toEqual(stored.map((item) => String(entryOfItem(item)?.bytes)).toSorted());
  });

  it('names records that do not have their hash, leaves them out, and appends those before and after', async () => {
    const acme = await olderOrganization();
    const [, , last] = await acme.moments('one');
    const [, middle] = await acme.moments('two');
    if (last) await table.put({ ...last, at: 1 });
    if (middle) await table.put({ ...middle, at: 1 });
    expect(await backfill(acme.org)).toMatchObject({
      done: true,
      problems: 2,
      skipped: [
        { message: 'An item cannot be appended to the log', pk: last?.pk, sk: last?.sk },
        { message: 'An item cannot be appended to the log', pk: middle?.pk, sk: middle?.sk },
      ],
    });
    expect((await readHead(table, acme.id))?.range.size).toBe(7 + (await acme.audit()).length);
  });
});
