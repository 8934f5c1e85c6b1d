import type { DemoClient } from './client.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import { HOURS_PER_DAY, type Setting } from './setting.ts';

/** Since when silence counts, in hours before the present. */
const SINCE = 30 * HOURS_PER_DAY;
/** Expectations come last: a sweep of the stack can run meanwhile, and must not find gaps in what is not yet loaded. */
const SAVED = 0.05;

/** Adds expectations: one that is met and was changed, one that is missed, and one that is due within days. */
export function addExpectations({ script, keys }: Setting): void {
  for (const environment of ['prod', 'eu-prod']) {
    script.add(SINCE, [environment], (client) =>
      client.send(keys.admin, 'PATCH', `/tags/${ORG}/env/${environment}`, { json: { set_tags: { tier: '1' } } }),
    );
  }
  const starts = script.seconds(SINCE);
  const put = (name: string, expected: object) => (client: DemoClient) =>
    client.send(keys.bob, 'PUT', `/expectations/${ORG}`, {
      json: { name, kind: 'reports', starts_at: starts, ...expected },
    });
  const tier = { scope: { tags: { tier: '1' } }, owner: 'on-call', severity: 'critical' };
  script.add(SAVED, [], put('tier-1', { ...tier, every: 'P7D' }));
  script.add(SAVED / 2, [], put('tier-1', { ...tier, every: 'P1D', grace: 'PT1H' }));
  const edge = { scope: { environments: ['edge'] }, owner: 'Dana Field' };
  script.add(SAVED, [], put('edge-reports', { ...edge, every: 'PT1H', grace: 'PT10M' }));
  const jobs = { scope: { environments: ['jobs', 'staging'] }, severity: 'info' };
  script.add(SAVED, [], put('weekly-jobs', { ...jobs, every: 'P7D' }));
}
