import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen, portOf } from '#infra/local/ports.ts';

/**
 * What happens to a call on its way to an AWS endpoint:
 * - `throttle`: it is refused because the service is busy
 * - `conflict`: a transaction is cancelled because somebody else is writing one of its items
 * - `reset-before`: the connection breaks, and nothing was done
 * - `reset-after`: the connection breaks, yet all was done
 * - `timeout-before`: nothing comes for longer than anybody waits, and nothing was done
 * - `timeout-after`: the same, yet all was done
 * - `slow`: the answer takes a while
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

export const SERVICES = ['dynamodb', 's3', 'sqs'] as const;
export type Service = (typeof SERVICES)[number];

export interface FaultProxy {
  endpoint: string;
  stop(): Promise<void>;
}

/** Longer than the gateway waits for a function: whoever waits to the end has no clean 503 any more. */
const TIMEOUT_MILLIS = 40_000;
const SLOW_MILLIS = 400;

/** A door in front of a service that lets most calls through as they are. @param decide asked for each call */
export async function startFaultProxy(
  service: Service,
  target: string,
  decide: (operation: string) => Fault | undefined,
): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const serve = async (asked: IncomingMessage, answer: ServerResponse) => {
    const body = await bytesOf(asked);
    const fault = decide(operationOf(asked));
    if (fault === 'throttle') return refuse(service, answer);
    if (fault === 'conflict') return cancel(answer, body);
    if (fault === 'slow') await sleep(SLOW_MILLIS);
    if (fault === 'timeout-before') await held();
    if (fault === 'reset-before' || fault === 'timeout-before') return void answer.destroy();
    const { status, headers, bytes } = await forward(agent, target, asked, body);
    if (fault === 'timeout-after') await held();
    if (fault === 'reset-after' || fault === 'timeout-after') return void answer.destroy();
    answer.writeHead(status, headers).end(bytes);
  };
  const server = createServer((asked, answer) => {
    serve(asked, answer).catch(() => answer.destroy());
  });
  await listen(server, 0, '127.0.0.1');
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    stop: async () => {
      await close(server);
      agent.destroy();
    },
  };
}

/** Nothing waits for the end of this when the soak is over. */
const held = () => sleep(TIMEOUT_MILLIS, undefined, { ref: false });

/** `TransactWriteItems`; the method where the protocol has no names of operations. */
function operationOf({ headers, method = '' }: IncomingMessage): string {
  const target = String(headers['x-amz-target'] ?? '');
  return target === '' ? method : (target.split('.').at(-1) ?? '');
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Forwarded {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
}

const forward = (agent: Agent, target: string, { method, url, headers }: IncomingMessage, body: Buffer) =>
  new Promise<Forwarded>((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const onward = request({ agent, hostname, port, method, path: url, headers }, (answered) => {
      bytesOf(answered).then(
        (bytes) => resolve({ status: answered.statusCode ?? 0, headers: answered.headers, bytes }),
        reject,
      );
    });
    onward.on('error', reject);
    onward.end(body);
  });

const AMZ_JSON = { 'content-type': 'application/x-amz-json-1.0' };
const BUSY = 'Injected: the service is busy';

function refuse(service: Service, answer: ServerResponse): void {
  if (service === 's3') {
    const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>${BUSY}</Message></Error>`;
    answer.writeHead(503, { 'content-type': 'application/xml' }).end(xml);
    return;
  }
  const type = service === 'sqs' ? 'com.amazonaws.sqs#RequestThrottled' : 'com.amazonaws.dynamodb#ThrottlingException';
  answer.writeHead(400, AMZ_JSON).end(JSON.stringify({ __type: type, message: BUSY }));
}

/** A cancelled transaction gives a reason per item; here the last one is the cause. */
function cancel(answer: ServerResponse, body: Buffer): void {
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
