import { startBenchStack } from '../bench-stack.ts';
import { logUses } from '../log/log-cost.ts';
import type { Part } from '../part.ts';
import { countOperations } from './count-operations.ts';
import { CUSTOMERS } from './customers.ts';
import { deployedResources, functionMemory, idleUsage } from './deployed.ts';
import { millisBetweenEntries } from './month.ts';
import { makeBillOrganization } from './organization.ts';
import { type BillResult, billSection } from './section.ts';

const LOG_ENTRIES = 256;

export const billPart: Part<BillResult> = {
  name: 'bill',
  isCounted: true,
  async measure({ quick, progress }) {
    const resources = deployedResources();
    const memoryOf = functionMemory(resources);
    const stack = await startBenchStack();
    try {
      progress('bill, operations');
      const counted = await countOperations(stack, memoryOf);
      const organization = await makeBillOrganization(stack, 'logged');
      const paces = CUSTOMERS.map((customer) => ({
        name: customer.name,
        everyMillis: Math.round(millisBetweenEntries(customer)),
        counted: quick ? LOG_ENTRIES / 4 : LOG_ENTRIES,
      }));
      const uses = await logUses(stack, organization, paces, memoryOf('integrator'), progress);
      organization.client.close();
      const logs = Object.fromEntries(uses.map(({ arrival, usage }) => [arrival.name, usage]));
      return { counted, logs, idle: idleUsage(resources) };
    } finally {
      await stack.stop();
    }
  },
  section: billSection,
  missed: () => [],
};
