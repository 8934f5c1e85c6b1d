import { type BenchStack, startBenchStack } from '../bench-stack.ts';
import { type BenchOrganization, makeOrganization } from '../organizations/organizations.ts';
import type { PartRun } from '../part.ts';
import { type FunctionBundles, makeBundles } from '../processes/function-bundles.ts';
import { HandlerProcess } from '../processes/handler-process.ts';
import type { MeasuredRequest } from '../requests/measured.ts';
import { BARE_KINDS, bundleBare } from './bundle-bare.ts';
import { chosenRequests } from './chosen.ts';
import { compareStarts } from './cold.ts';
import type { LimitResult } from './results.ts';
import { type Length, WarmComparison } from './warm.ts';

/** Compares every group of functions with bare calls: warm and from a cold start. */

const TRAILS = 5_000;
const TRAILS_IF_QUICK = 1_000;
const LENGTH: Length = { rounds: 5, millis: 200, warmUp: 300 };
const QUICK: Length = { rounds: 3, millis: 50, warmUp: 50 };
const STARTS = 7;
const STARTS_IF_QUICK = 2;

export async function measureLimit({ quick, only, progress }: PartRun): Promise<LimitResult> {
  const requests = chosenRequests(only);
  const byGroup = [...Map.groupBy(requests, ({ group }) => group.name)];
  const length = quick ? QUICK : LENGTH;
  const starts = quick ? STARTS_IF_QUICK : STARTS;
  const trails = quick ? TRAILS_IF_QUICK : TRAILS;
  const stack = await startBenchStack();
  const bundles = await makeBundles(
    stack,
    byGroup.map(([name]) => name),
  );
  const result: LimitResult = { trails, rounds: length.rounds, starts, warm: [], cold: [] };
  try {
    for (const kind of BARE_KINDS) await bundleBare(kind, bundles.folderOf(`bare-${kind}`));
    const organization = await makeOrganization(stack, 'limit', trails, progress);
    const comparison = new WarmComparison(stack, organization);
    for (const [name, own] of byGroup) {
      progress(`${name}: warm`);
      result.warm.push(...(await warmOf(name, own, bundles, comparison, length)));
    }
    for (const [name, [first]] of byGroup) {
      if (!first) continue;
      progress(`${name}: cold`);
      result.cold.push(await coldOf(stack, organization, first, bundles, starts));
    }
    organization.client.close();
    return result;
  } finally {
    bundles.remove();
    await stack.stop();
  }
}

/** Each group gets processes of its own, also for the bare calls: then all of them are equally warm. */
async function warmOf(
  name: string,
  requests: readonly MeasuredRequest[],
  { folderOf, environmentOf }: FunctionBundles,
  comparison: WarmComparison,
  length: Length,
) {
  const env = environmentOf(name);
  const contestants = {
    functions: new HandlerProcess(folderOf(name), env),
    tuned: new HandlerProcess(folderOf('bare-tuned'), env),
    standard: new HandlerProcess(folderOf('bare-default'), env),
  };
  try {
    const results = [];
    for (const request of requests) results.push(await comparison.measure(request, contestants, length));
    return results;
  } finally {
    for (const one of Object.values(contestants)) await one.stop();
  }
}

function coldOf(
  stack: BenchStack,
  organization: BenchOrganization,
  request: MeasuredRequest,
  { folderOf, environmentOf, sizeOf }: FunctionBundles,
  starts: number,
) {
  const { name } = request.group;
  const env = environmentOf(name);
  const functions = { folder: folderOf(name), env, size: sizeOf(name) };
  return compareStarts(stack, organization, request, functions, { folder: folderOf('bare-tuned'), env }, starts);
}
