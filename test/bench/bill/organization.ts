import { actionsGroup } from '#functions/actions/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import type { BenchStack } from '../bench-stack.ts';
import { type Client, clientOf, formOf } from '../client.ts';
import { FLOW, STRICT_POLICY } from '../organizations/facts.ts';
import { LOOPBACK } from './afterwards.ts';

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: web
      attestations:
        - {name: check-0, type: generic}
`;

/** An organization in which the requests of the bill are counted. */
export interface BillOrganization {
  name: string;
  client: Client;
}

/** Makes an organization with environments that run the last releases. @param webhook target of every attestation */
export async function makeBillOrganization(
  stack: BenchStack,
  name: string,
  webhook?: string,
): Promise<BillOrganization> {
  const key = `key-of-${name}`;
  const members = [{ user: `ann-of-${name}`, role: 'admin' as const, api_key: key }];
  await applySeed(stack.services, { organizations: [{ name, members }] });
  // Each request is the first one of its function: what functions remember makes requests cheaper.
  const log = (entry: { level: string }) => entry.level === 'ERROR' && console.error(JSON.stringify(entry));
  const services = { ...stack.services, guard: LOOPBACK };
  const client = clientOf({ ...stack, handlerOf: (group) => groupHandler(group, services, { log }) }, key);
  await client.direct(
    flowsGroup,
    {
      method: 'PUT',
      path: `/flows/${name}/template_file`,
      form: formOf({ data_json: JSON.stringify({ name: FLOW }) }, { template_file: TEMPLATE }),
    },
    201,
  );
  await client.direct(
    policiesGroup,
    {
      method: 'PUT',
      path: `/policies/${name}`,
      form: formOf({ payload: JSON.stringify({ name: 'strict' }) }, { policy_file: STRICT_POLICY }),
    },
    201,
  );
  if (webhook !== undefined) {
    const json = { name: 'tell', triggers: ['ON_ATTESTATION'], targets: [{ type: 'WEBHOOK', webhook }] };
    await client.direct(actionsGroup, { method: 'PUT', path: `/actions/${name}/flows`, json }, 200);
  }
  return { name, client };
}
