import { randomBytes } from 'node:crypto';
import { handler as unknownRoute } from '#functions/unknown-route/index.ts';
import { startGateway } from '#infra/local/gateway/gateway.ts';
import { startStack } from '#infra/local/stack.ts';
import type { Log } from '#shared/base/log-lines.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { applySeed, Seed } from '#shared/organizations/seed.ts';
import { testToolsGroup } from './test-tools.ts';

/** A door that runs: its address, and a key that it accepts. */
export interface Door {
  address: URL;
  key: string;
  stop: () => Promise<void>;
}

/** The suite makes requests that are refused. Only faults of the service are printed. */
const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
};

/** Starts a service in memory, and beside it a gateway with the door to the tools of the suite. */
export async function startTestDoor(): Promise<Door> {
  const key = `dek_${randomBytes(24).toString('hex')}`;
  const seed = Seed.parse({
    organizations: [{ name: 'acme', members: [{ user: 'ann', role: 'reader', api_key: key }] }],
  });
  const stack = await startStack({
    port: 0,
    log: onlyErrors,
    seed: async (services) => {
      await applySeed(services, seed);
    },
  });
  try {
    const gateway = await startGateway({
      groups: [testToolsGroup],
      // The address is known when the gateway listens, which is before its first request.
      functionOf: () =>
        groupHandler(testToolsGroup, () => ({ ...stack.services, address: gateway.url }), { log: onlyErrors }),
      defaultFunction: unknownRoute,
      port: 0,
    });
    return {
      address: new URL('/api/v2/mcp', gateway.url),
      key,
      stop: async () => {
        await gateway.stop();
        await stack.stop();
      },
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
