import { type EnvironmentId, type FlowId, firstIdAt } from '#shared/base/ids.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { TestApi } from '#test/support/api.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { deliveriesOf, relayOf, type TestRelay } from '#test/support/relay.ts';

/** An organization with environments, and its relay. */
export interface Setting extends EnvironmentsOfOrganization {
  relay: TestRelay;
  /** Notifications of an action that are in the books, in order of their event. */
  told(action?: number): Promise<Delivery[]>;
  /** Ids by name. */
  environmentId(name: string): Promise<EnvironmentId>;
  flowId(name: string): Promise<FlowId>;
}

/** With the environment `prod`, and artifacts `names` of trail `run` of flow `web`. */
export async function settingOf(api: TestApi, names: readonly string[] = ['api', 'db']): Promise<Setting> {
  const acme = await environmentsOfOrganization(api);
  const { table, clock } = api.services;
  const relay = relayOf(api.services, acme.id);
  await acme.putFlow('web');
  for (const name of names) await acme.report(anArtifact(name));
  await acme.putEnvironment('prod');
  return {
    ...acme,
    relay,
    told: (action = 1) => deliveriesOf(table, acme.id, action, [monthOf(firstIdAt(clock.now()))]),
    environmentId: async (name) => (await acme.head(name)).id,
    flowId: async (name) => ((await acme.get(`/flows/${acme.org}/${name}`)).json as { id: FlowId }).id,
  };
}
