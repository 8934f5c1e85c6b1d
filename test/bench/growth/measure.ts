import { type BenchStack, startBenchStack } from '../bench-stack.ts';
import { type Counts, countRequest } from '../counting.ts';
import type { PartRun } from '../part.ts';
import { type Axis, type GrowingRequest, type Place, placeOf } from './axis.ts';
import { ENVIRONMENT_AXES } from './environment-axes.ts';
import { EVIDENCE_AXES } from './evidence-axes.ts';
import { ORGANIZATION_AXES } from './organization-axes.ts';

export const AXES: readonly Axis[] = [...EVIDENCE_AXES, ...ENVIRONMENT_AXES, ...ORGANIZATION_AXES];

export type Used = Pick<Counts, 'calls' | 'read' | 'write'>;

/** What a request uses at two sizes. */
export interface Grown {
  request: string;
  grows?: string;
  from: number;
  to: number;
  small: Used;
  large: Used;
}

export interface AxisResult {
  axis: string;
  bound?: string;
  requests: Grown[];
}

/**
 * Multiples of 256: the lists of time series then read equally many entries after their newest milestone
 * (rules/lists.md#milestones).
 */
const SIZES = { small: 1_024, large: 102_400 };
const QUICK_SIZES = { small: 256, large: 1_024 };
/** The number of counted requests at each size. */
const SAMPLES = 3;

/** Counts on every axis, one after another. `only` chooses the axes whose names contain the text. */
export async function measureGrowth({ quick, only = '', progress }: PartRun): Promise<AxisResult[]> {
  const stack = await startBenchStack();
  try {
    const results: AxisResult[] = [];
    for (const [i, axis] of AXES.entries()) {
      if (!axis.name.includes(only)) continue;
      progress(`growth, ${axis.name}`);
      results.push(await measureAxis(stack, axis, `growing-${i}`, quick));
    }
    return results;
  } finally {
    await stack.stop();
  }
}

async function measureAxis(stack: BenchStack, axis: Axis, name: string, quick: boolean): Promise<AxisResult> {
  const place = await placeOf(stack, name);
  const { fill, requests } = await axis.prepare(place);
  const { small, large } = sizesOf(axis, quick);
  // A request that grows is counted at small sizes: at a large one its answer may be larger than a function can give.
  const stages = [
    { size: Math.floor(small / 8), isCounted: ({ grows }: GrowingRequest) => grows !== undefined },
    { size: small, isCounted: () => true },
    { size: large, isCounted: ({ grows }: GrowingRequest) => grows === undefined },
  ];
  const used = new Map<GrowingRequest, { size: number; used: Used }[]>();
  let filled = 0;
  for (const { size, isCounted } of stages) {
    await fill(filled, size);
    filled = size;
    for (const request of requests.filter(isCounted)) {
      const counts = { size, used: await count(place, request) };
      used.set(request, [...(used.get(request) ?? []), counts]);
    }
  }
  place.client.close();
  return {
    axis: axis.name,
    ...(axis.bound !== undefined && { bound: axis.bound }),
    requests: [...used].flatMap(([{ name: request, grows }, [before, after]]) =>
      before && after
        ? [
            {
              request,
              ...(grows !== undefined && { grows }),
              from: before.size,
              to: after.size,
              small: before.used,
              large: after.used,
            },
          ]
        : [],
    ),
  };
}

/** A quick run measures small sizes, also on axes that have sizes of their own. */
function sizesOf({ sizes }: Axis, quick: boolean): { small: number; large: number } {
  if (!quick) return sizes ?? SIZES;
  return sizes && sizes.large < QUICK_SIZES.large ? sizes : QUICK_SIZES;
}

let requestsSent = 0;

async function count({ stack, client }: Place, { build, expected }: GrowingRequest): Promise<Used> {
  const { calls, read, write } = await countRequest(stack, SAMPLES, () => {
    requestsSent += 1;
    return client.http(build(requestsSent), expected);
  });
  return { calls, read, write };
}
