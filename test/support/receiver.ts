import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { close, listen, portOf } from '#infra/local/ports.ts';

/** A request that a target received. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The id that stays the same over all attempts. */
  id: string;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** How long it takes to answer. */
  millis?: number;
}

export interface Receiver {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** In the order of their arrival. */
  requests: Received[];
  /** Told of each request; what it returns is answered. */
  answer: (request: Received) => Answer;
  stop(): Promise<void>;
}

/** A target on this machine; it answers 200 unless the test chooses another answer. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        id: String(request.headers['webhook-id'] ?? ''),
      };
      requests.push(received);
      const { status, headers = {}, millis = 0 } = receiver.answer(received);
      void sleep(millis).then(() => response.writeHead(status, headers).end());
    });
  });
  await listen(server, 0, '127.0.0.1');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    answer: () => ({ status: 200 }),
    stop: () => close(server),
  };
  return receiver;
}

/**
 * The payload of a request whose signature holds, as a receiver reads it.
 * @throws Error for a signature that does not hold
 */
export const verified = ({ headers, body }: Received, secret: string): Record<string, unknown> =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
