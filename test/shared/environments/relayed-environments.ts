import { type EnvironmentId, type FlowId, firstIdAt } from '#shared/base/ids.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { TestApi } from '#test/support/api.ts';
import { copiesOfOrganization } from '#test/support/copies/copied-organization.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { deliveriesOf, relayOf, type TestRelay } from '#test/support/relay.ts';

/** An organization with environments, and its relay. */
export interface Setting extends EnvironmentsOfOrganization {
  relay: TestRelay;
  /** Returns the stored deliveries of an action in the order of their events. */
  deliveries(action?: number): Promise<Delivery[]>;
  /** Ids by name. */
  environmentId(name: string): Promise<EnvironmentId>;
  flowId(name: string): Promise<FlowId>;
}

/** With the environment `prod`, and artifacts `names` of trail `run` of flow `web`. */
export async function settingOf(api: TestApi, names?: readonly string[]): Promise<Setting> {
  const setting = await emptySetting(api);
  await fillSetting(setting, names);
  return setting;
}

/** Sends the requests that {@link settingOf} sends to a new organization. */
export async function fillSetting(setting: Setting, names: readonly string[] = ['api', 'db']): Promise<void> {
  await setting.putFlow('web');
  for (const name of names) await setting.report(anArtifact(name));
  await setting.putEnvironment('prod');
}

/** Makes a setting by the requests themselves. Then its relay settles. */
export async function preparedSetting(api: TestApi, prepare: (setting: Setting) => Promise<unknown>): Promise<Setting> {
  const setting = await emptySetting(api);
  await prepare(setting);
  await setting.relay.settle();
  return setting;
}

/**
 * Returns a function that makes settings with the items of a first one, and without the requests to it. Hashes of their audit
 * entries do not fit (`copiesOfOrganization`), so tests that check hashes use {@link preparedSetting}.
 *
 * @param prepare sends the requests to the first setting. Then its relay settles
 */
export function settledSettings(api: TestApi, prepare: (setting: Setting) => Promise<unknown>): () => Promise<Setting> {
  const newSetting = () => emptySetting(api);
  const copyOf = copiesOfOrganization(api.services.table, newSetting, async (setting) => {
    await prepare(setting);
    await setting.relay.settle();
  });
  return async () => {
    const setting = await copyOf();
    // The relay has seen what was copied.
    await setting.relay.changed();
    return setting;
  };
}

async function emptySetting(api: TestApi): Promise<Setting> {
  const acme = await environmentsOfOrganization(api);
  const { table, clock } = api.services;
  return {
    ...acme,
    relay: relayOf(api.services, acme.id),
    deliveries: (action = 1) => deliveriesOf(table, acme.id, action, [monthOf(firstIdAt(clock.now()))]),
    environmentId: async (name) => (await acme.head(name)).id,
    flowId: async (name) => ((await acme.get(`/flows/${acme.org}/${name}`)).json as { id: FlowId }).id,
  };
}
