import { setTimeout as sleep } from 'node:timers/promises';
import { askForVisits, visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { waitingMessages } from '#infra/local/events/queues.ts';
import { startStack } from '#infra/local/stack.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import type { Log } from '#shared/base/log-lines.ts';
import { minus, plus } from '#shared/base/time.ts';
import { readActive } from '#shared/sweeps/active-organizations.ts';
import { activeKey } from '#shared/sweeps/keys.ts';

/**
 * `npm run bench:visits -- [organizations]`: measures how long one sweep takes from its call to the last visit, through a real queue. In
 * the organizations nothing has happened for a while, so each visit finds nothing and removes its organization from the list.
 */

/** An organization that was listed so long ago leaves the list with its next visit. */
const LISTED_AGO = 600_000_000;
const POLL_MILLIS = 500;

const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
};

async function measure(count: number) {
  const stack = await startStack({
    port: 0,
    visitor: (services) => (event) => visitOrganizations(event, services, { lines: onlyErrors }),
    log: onlyErrors,
  });
  try {
    const { services, endpoints } = stack;
    const { table, clock } = services;
    const since = minus(clock.now(), LISTED_AGO);
    const ids = Array.from({ length: count }, (_, i) => newId<OrganizationId>(plus(since, i)));
    await table.putMany(ids.map((org) => ({ ...activeKey(org), v: 1, at: since, since })));
    const processor = process.cpuUsage();
    const started = performance.now();
    await askForVisits(services, { lines: onlyErrors });
    const sent = performance.now();
    while (((await waitingMessages(endpoints.sqs)).get('visits') ?? 0) > 0) await sleep(POLL_MILLIS);
    const drained = performance.now();
    const { user, system } = process.cpuUsage(processor);
    return {
      organizations: count,
      left: (await readActive(table)).length,
      sendSeconds: Math.round(sent - started) / 1_000,
      drainSeconds: Math.round(drained - started) / 1_000,
      processorMillisPerVisit: Math.round((user + system) / count) / 1_000,
    };
  } finally {
    await stack.stop();
  }
}

const report = await measure(Number(process.argv[2] ?? 10_000));
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.left === 0 ? 0 : 1;
