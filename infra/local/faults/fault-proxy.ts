import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { forward, type LocalServer, startServer } from '../http.ts';

/**
 * Faults of a call on its way to an AWS endpoint:
 * - `throttle`: the call is refused because the service is busy
 * - `conflict`: a transaction is cancelled because another writer changes one of its items
 * - `reset-before`: the connection breaks before the service gets the call
 * - `reset-after`: the connection breaks after the service processed the call
 * - `timeout-before`: no answer comes before the caller's time limit, and the service never gets the call
 * - `timeout-after`: no answer comes before the caller's time limit, but the service processed the call
 * - `slow`: the answer is delayed
 */
export const FAULTS = [
  'throttle',
  'conflict',
  'reset-before',
  'reset-after',
  'timeout-before',
  'timeout-after',
  'slow',
] as const;
export type Fault = (typeof FAULTS)[number];

const SERVICES = ['dynamodb', 's3', 'sqs', 'kms'] as const;
export type Service = (typeof SERVICES)[number];

/** Longer than the gateway waits for a function, so a function that waits this long cannot answer with 503. */
const TIMEOUT_MILLIS = 40_000;
const SLOW_MILLIS = 400;

/**
 * Starts a proxy in front of a service that forwards calls and injects faults.
 *
 * @param options `latencyMillis`: time that is added to each call that the proxy forwards or refuses; `decide`: called for
 *   each call; returns the fault to inject, or undefined to forward the call unchanged
 */
export async function startFaultProxy(
  service: Service,
  target: string,
  { latencyMillis, decide }: { latencyMillis: number; decide: (operation: string) => Fault | undefined },
): Promise<LocalServer> {
  const agent = new Agent({ keepAlive: true });
  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const { method, url, headers } = incoming;
    const body = await buffer(incoming);
    const fault = decide(operationOf(incoming));
    if (latencyMillis > 0) await sleep(latencyMillis);
    if (fault === 'throttle') return refuse(service, answer);
    if (fault === 'conflict') return cancel(answer, body);
    if (fault === 'slow') await sleep(SLOW_MILLIS);
    if (fault === 'timeout-before') await waitForTimeout();
    if (fault === 'reset-before' || fault === 'timeout-before') return void answer.destroy();
    const forwarded = await forward(target, { method, url, headers, body }, agent);
    if (fault === 'timeout-after') await waitForTimeout();
    if (fault === 'reset-after' || fault === 'timeout-after') return void answer.destroy();
    answer.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
  };
  const server = await startServer(serve, (_, answer) => void answer.destroy());
  const stop = async () => {
    await server.stop();
    agent.destroy();
  };
  return { endpoint: server.endpoint, stop };
}

/** `ref: false`: a waiting call does not keep the process running after the soak. */
const waitForTimeout = () => sleep(TIMEOUT_MILLIS, undefined, { ref: false });

/** Returns the operation, such as `TransactWriteItems`, or the HTTP method for S3, which sends no operation name. */
function operationOf({ headers, method = '' }: IncomingMessage): string {
  const target = String(headers['x-amz-target'] ?? '');
  return target === '' ? method : (target.split('.').at(-1) ?? '');
}

const AMZ_JSON = { 'content-type': 'application/x-amz-json-1.0' };
const BUSY = 'Injected: the service is busy';

/** The errors of services that speak JSON when they are busy. */
const BUSY_TYPES = {
  dynamodb: 'com.amazonaws.dynamodb#ThrottlingException',
  sqs: 'com.amazonaws.sqs#RequestThrottled',
  kms: 'ThrottlingException',
} as const satisfies Record<Exclude<Service, 's3'>, string>;

function refuse(service: Service, answer: ServerResponse): void {
  if (service === 's3') {
    const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>${BUSY}</Message></Error>`;
    answer.writeHead(503, { 'content-type': 'application/xml' }).end(xml);
    return;
  }
  answer.writeHead(400, AMZ_JSON).end(JSON.stringify({ __type: BUSY_TYPES[service], message: BUSY }));
}

/** Answers that a transaction was cancelled. There is one reason per item; the last item is the cause. */
function cancel(answer: ServerResponse, body: Buffer): void {
  // The SDK sent the body.
  const { TransactItems = [] } = JSON.parse(body.toString('utf8')) as { TransactItems?: unknown[] };
  const CancellationReasons = TransactItems.map((_, i) =>
    i === TransactItems.length - 1
      ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' }
      : { Code: 'None' },
  );
  const error = {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    Message: 'Transaction cancelled, please refer cancellation reasons for specific reasons [Injected]',
    CancellationReasons,
  };
  answer.writeHead(400, AMZ_JSON).end(JSON.stringify(error));
}
