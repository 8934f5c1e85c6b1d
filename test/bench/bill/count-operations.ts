import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { startReceiver } from '../../support/receiver.ts';
import type { BenchStack } from '../bench-stack.ts';
import { dollars, sum, times, type Usage } from '../prices.ts';
import { Afterwards } from './afterwards.ts';
import {
  deploymentSteps,
  ENVIRONMENTS,
  environmentOf,
  OPERATIONS,
  type Operation,
  PAGE_REQUESTS,
  RUNNING,
  releaseSteps,
  reportOf,
  type Step,
} from './operations.ts';
import { type BillOrganization, makeBillOrganization } from './organization.ts';
import { gatewayUsage, type MemoryOf, recordedUsage } from './usage-of.ts';

/** What one operation uses: while the caller waits, and afterwards without the log. */
export interface OperationUsage {
  request: Usage;
  afterwards: Usage;
}

export interface CountedOperations {
  operations: Record<Operation, OperationUsage>;
  /** What an attestation uses in addition if one action sends it to one webhook. */
  webhook: Usage;
}

/** Releases that are counted. */
const SAMPLES = 8;
/**
 * Counts what the operations of a customer use. The caller stops the stack.
 *
 * @param passes whether the event source calls the relay for an item. @default its filter
 */
export async function countOperations(
  stack: BenchStack,
  memoryOf: MemoryOf,
  passes?: ConstructorParameters<typeof Afterwards>[2],
): Promise<CountedOperations> {
  const receiver = await startReceiver();
  try {
    const afterwards = new Afterwards(stack, memoryOf, passes);
    const plain = await makeBillOrganization(stack, 'plain');
    await fill(stack, plain, afterwards);
    const counted = await countReleases(stack, plain, memoryOf, afterwards);
    const notified = await makeBillOrganization(stack, 'notified', receiver.url);
    const withWebhook = await countSteps(stack, notified, memoryOf, afterwards, releaseSteps(notified.name, RUNNING));
    const quiet = await makeBillOrganization(stack, 'quiet');
    const without = await countSteps(stack, quiet, memoryOf, afterwards, releaseSteps(quiet.name, RUNNING));
    if (receiver.requests.length !== withWebhook.filter(isAttestation).length) {
      throw new Error(`The webhook received ${receiver.requests.length} requests`);
    }
    const webhook = sum([
      ...withWebhook.map(({ usage }) => usage.afterwards),
      ...without.map(({ usage }) => times(usage.afterwards, -1)),
    ]);
    plain.client.close();
    notified.client.close();
    quiet.client.close();
    return { operations: counted, webhook: times(webhook, 1 / receiver.requests.length) };
  } finally {
    await receiver.stop();
  }
}

const isAttestation = ({ operation }: { operation: Operation }): boolean => operation.startsWith('attestation');

/** Makes the releases and environments that the counted requests find. */
async function fill(stack: BenchStack, { name, client }: BillOrganization, afterwards: Afterwards): Promise<void> {
  for (let n = 0; n < RUNNING; n += 1) {
    for (const { group, request, expected } of releaseSteps(name, n)) await client.direct(group, request, expected);
  }
  for (let n = 0; n < ENVIRONMENTS; n += 1) {
    const environment = environmentOf(n);
    const json = { name: environment, type: 'server', description: 'Production', policies: ['strict'] };
    const request = { method: 'PUT', path: `/environments/${name}`, json };
    await client.direct(environmentsGroup, request, 201);
    const reported = await stack.recorder.record(async () => {
      await client.direct(environmentsGroup, reportOf(name, environment, RUNNING - 1), 201);
    });
    await afterwards.of(reported);
  }
}

async function countReleases(
  stack: BenchStack,
  organization: BillOrganization,
  memoryOf: MemoryOf,
  afterwards: Afterwards,
): Promise<Record<Operation, OperationUsage>> {
  const counted: CountedStep[] = [];
  for (let n = RUNNING; n < RUNNING + SAMPLES; n += 1) {
    const steps = [...releaseSteps(organization.name, n), ...deploymentSteps(organization.name, n)];
    counted.push(...(await countSteps(stack, organization, memoryOf, afterwards, steps)));
  }
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, meanOf(operation, counted)])) as Record<
    Operation,
    OperationUsage
  >;
}

interface CountedStep {
  operation: Operation;
  usage: OperationUsage;
}

function meanOf(operation: Operation, counted: readonly CountedStep[]): OperationUsage {
  const own = counted.filter((step) => step.operation === operation).map(({ usage }) => usage);
  const each = operation === 'page of the console' ? own.length / PAGE_REQUESTS : own.length;
  if (each === 0 || dollars(sum(own.map(({ request }) => request))) === 0)
    throw new Error(`Nothing counted: ${operation}`);
  return {
    request: times(sum(own.map(({ request }) => request)), 1 / each),
    afterwards: times(sum(own.map(({ afterwards }) => afterwards)), 1 / each),
  };
}

async function countSteps(
  { recorder }: BenchStack,
  { client }: BillOrganization,
  memoryOf: MemoryOf,
  afterwards: Afterwards,
  steps: readonly Step[],
): Promise<CountedStep[]> {
  const counted: CountedStep[] = [];
  for (const { operation, group, request, expected } of steps) {
    let answer = '';
    const recording = await recorder.record(async () => {
      answer = await client.direct(group, request, expected);
    });
    const usage = {
      request: sum([recordedUsage(recording, memoryOf(group.name)), gatewayUsage(answer)]),
      afterwards: await afterwards.of(recording),
    };
    counted.push({ operation, usage });
  }
  return counted;
}
