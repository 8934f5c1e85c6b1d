import { startBenchStack } from '../bench-stack.ts';
import { type Counted, type Counts, countRequest } from '../counting.ts';
import { type BenchOrganization, makeOrganization } from '../organizations/organizations.ts';
import type { PartRun } from '../part.ts';
import { type Spread, spreadOf } from '../spread.ts';
import { keepBusy, median, quantile, rate, type Span } from '../timing.ts';
import { type Floor, shownBy } from './floors.ts';
import type { MeasuredRequest } from './measured.ts';
import { REQUESTS } from './requests.ts';

export interface RequestsResult {
  trails: number;
  rounds: number;
  requests: RequestResult[];
}

export interface RequestResult {
  request: string;
  kind: 'read' | 'write';
  counts: Counts;
  /** Of reads. */
  floor?: Floor & { why: string };
  /** Milliseconds with one client: the median of each round, and the 99th percentile of all of them. */
  millis: Spread;
  p99: number;
  /** Requests per second, with one client and with 16. */
  one: Spread;
  sixteen: Spread;
}

const TRAILS = 100_000;
const QUICK_TRAILS = 1_000;
const CLIENTS = 16;
/** The number of requests that are counted. */
const SAMPLES = 6;
interface Pace extends Span {
  rounds: number;
}
const PACE: Pace = { rounds: 7, millis: 300, atLeast: 16 };
const QUICK: Pace = { rounds: 1, millis: 50, atLeast: 1 };

let number = 0;
const nextNumber = () => {
  number += 1;
  return number;
};

/** Counts what each request uses, and then measures it over HTTP. */
export async function measureRequests({ quick, only, progress }: PartRun): Promise<RequestsResult> {
  const chosen = REQUESTS.filter(({ name }) => only === undefined || name.includes(only));
  const [trails, pace] = quick ? [QUICK_TRAILS, QUICK] : [TRAILS, PACE];
  const stack = await startBenchStack();
  try {
    const organization = await makeOrganization(stack, 'requests', trails, progress);
    const results = new Map<MeasuredRequest, RequestResult>();
    // Reads come first, because the writes change what reads find. All are counted before any is measured.
    for (const kind of ['read', 'write'] as const) {
      const counted: [MeasuredRequest, Counted][] = [];
      for (const request of chosen.filter((one) => one.kind === kind)) {
        counted.push([request, await countRequest(stack, SAMPLES, () => send(organization, request))]);
      }
      for (const [request, { answer, ...counts }] of counted) {
        progress(request.name);
        const { floor } = request;
        results.set(request, {
          request: request.name,
          kind,
          counts,
          ...(floor && { floor: { ...floor.of(shownBy(answer)), why: floor.why } }),
          ...(await measure(organization, request, pace)),
        });
      }
    }
    organization.client.close();
    return { trails, rounds: pace.rounds, requests: chosen.flatMap((request) => results.get(request) ?? []) };
  } finally {
    await stack.stop();
  }
}

const send = ({ client, name, trails }: BenchOrganization, { build, expected }: MeasuredRequest): Promise<string> =>
  client.http(build(name, nextNumber(), trails), expected);

async function measure(
  organization: BenchOrganization,
  request: MeasuredRequest,
  { rounds, ...span }: Pace,
): Promise<Pick<RequestResult, 'millis' | 'p99' | 'one' | 'sixteen'>> {
  const next = () => async () => void (await send(organization, request));
  // The figures are those of a warm function, hence one stretch that is not measured.
  await keepBusy(CLIENTS, span, next);
  const one = [];
  const sixteen = [];
  for (let round = 0; round < rounds; round += 1) {
    one.push(await keepBusy(1, span, next));
    sixteen.push(await keepBusy(CLIENTS, span, next));
  }
  return {
    millis: spreadOf(one.map(({ millis }) => median(millis))),
    p99: quantile(
      one.flatMap(({ millis }) => millis),
      0.99,
    ),
    one: spreadOf(one.map(rate)),
    sixteen: spreadOf(sixteen.map(rate)),
  };
}
