import { actionsGroup } from '#functions/actions/endpoints.ts';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import type { TestApi } from '#test/support/api.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { npm, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';
import { relayOf } from '#test/support/relay.ts';

/** @param more groups that a test calls besides */
export const watchApi = (more: readonly EndpointGroup[] = []) =>
  testApi([
    ...more,
    ...environmentGroups.filter((group) => group !== actionsGroup),
    ...[actionsGroup, componentsGroup, environmentNotificationsGroup, signersGroup],
  ]);

export const OLD_LODASH = { purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' };

/** A watch as it is answered, as far as tests look at it. */
export interface WatchJson {
  name: string;
  known_since: number | null;
  asked_at: number | null;
  matched_at: number | null;
}

interface Message {
  event_type: string;
  description: string;
  environment?: string;
  flow?: string;
  exposure: { watch: string; match: string };
}

/** An organization with environments `prod` and `stage`, an action of each kind about watches, and what they were told. */
export async function watchingOrganization(api: TestApi) {
  const acme = await environmentsOfOrganization(api);
  const { org } = acme;
  const relay = relayOf(api.services, acme.id);
  await acme.putEnvironment('prod');
  await acme.putEnvironment('stage');
  const targets = [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/watch' }];
  const triggers = ['ON_EXPOSURE'];
  await acme.call('PUT', `/actions/${org}/flows`, { json: { name: 'flows', targets, flows: [], triggers } });
  const notification = { name: 'envs', type: 'env', targets, environments: ['prod', 'stage'], triggers };
  await acme.call('PUT', `/organizations/${org}/environments_notifications`, { json: notification });
  const told = async (action: number) => {
    const { json } = await acme.get(`/actions/${org}/${action}/deliveries`, 'include=message&per_page=100');
    const { deliveries } = json as { deliveries: { message: { text: string } }[] };
    return deliveries.map(({ message }) => JSON.parse(message.text) as Message).toReversed();
  };
  return {
    ...acme,
    relay,
    told,
    /** What was told, in the order of the events: `flow` or the environment. */
    toldOf: async (watch: string) =>
      [...(await told(1)), ...(await told(2))]
        .filter(({ exposure }) => exposure.watch === watch)
        .map(({ environment, flow }) => environment ?? flow),
    watch: (name: string, json: object = OLD_LODASH) => acme.call('PUT', `/watches/${org}/${name}`, { json }),
    watched: async (name: string) => (await acme.get(`/watches/${org}/${name}`)).json as WatchJson,
    /** Reports an artifact in a trail of its own, with an SBOM of a version of lodash. @param content what its fingerprint is made of */
    async build(name: string, version = '4.17.20', { trail = name, content = name } = {}) {
      await acme.report(anArtifact(name, { fingerprint: fingerprintOf(content) }), { trail });
      return reportSbom(acme, sbomOf(npm('lodash', version), npm(`of-${trail}`, '1.0.0')), { trail });
    },
  };
}
