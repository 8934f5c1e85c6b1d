import type { DemoClient } from './client.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import { HOURS_PER_DAY, type Setting } from './setting.ts';

const SINCE = 30 * HOURS_PER_DAY;

/** Adds expectations: one that is met and was changed, one that is missed, and one that is due within days. */
export function addExpectations({ script, keys }: Setting): void {
  for (const environment of ['prod', 'eu-prod']) {
    script.add(SINCE + 1, [environment], (client) =>
      client.send(keys.admin, 'PATCH', `/tags/${ORG}/env/${environment}`, { json: { set_tags: { tier: '1' } } }),
    );
  }
  const put = (name: string, expected: object) => (client: DemoClient) =>
    client.send(keys.bob, 'PUT', `/expectations/${ORG}`, { json: { name, kind: 'reports', ...expected } });
  const tier = { scope: { tags: { tier: '1' } }, owner: 'on-call', severity: 'critical' };
  script.add(SINCE, ['expectation tier-1'], put('tier-1', { ...tier, every: 'P7D' }));
  script.add(SINCE / 2, ['expectation tier-1'], put('tier-1', { ...tier, every: 'P1D', grace: 'PT1H' }));
  const edge = { scope: { environments: ['edge'] }, owner: 'Dana Field' };
  script.add(SINCE, ['expectation edge-reports'], put('edge-reports', { ...edge, every: 'PT1H', grace: 'PT10M' }));
  const jobs = { scope: { environments: ['jobs', 'staging'] }, severity: 'info' };
  script.add(SINCE, ['expectation weekly-jobs'], put('weekly-jobs', { ...jobs, every: 'P7D' }));
}
