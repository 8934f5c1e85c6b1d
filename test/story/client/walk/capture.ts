import { createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { close, listen, portOf } from '#infra/local/ports.ts';

/** A request as the service got it. */
export interface Captured {
  method: string;
  /** Address with its query, decoded. */
  url: string;
  body: string;
  status: number;
}

/** A proxy in front of a stack that keeps requests with their bodies. */
export interface Capture {
  url: string;
  requests: Captured[];
  stop(): Promise<void>;
}

/** Starts a proxy that forwards each request once, with its own host. */
export async function startCapture(target: string): Promise<Capture> {
  const requests: Captured[] = [];
  const server = createServer(async (asked, answer) => {
    const { method = '', url = '', headers } = asked;
    const bytes = await buffer(asked);
    const onward = request(new URL(target), { method, path: url, headers }, (answered: IncomingMessage) => {
      const status = answered.statusCode ?? 0;
      requests.push({ method, url: decodeURIComponent(url.replaceAll('+', ' ')), body: bytes.toString(), status });
      answer.writeHead(status, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(bytes);
  });
  await listen(server, 0, '127.0.0.1');
  return { url: `http://127.0.0.1:${portOf(server)}`, requests, stop: () => close(server) };
}
