import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Passes requests on to a door and adds a key: the public suite sends none. Speaks on the loopback address only.
 *
 * @param target address of the door
 * @returns the address to test, and what ends the proxy
 */
export async function keyProxy(target: URL, key: string): Promise<{ address: string; close: () => Promise<void> }> {
  const server = createServer((incoming, answer) => {
    const headers = {
      ...incoming.headers,
      host: target.host,
      authorization: `Bearer ${key}`,
      // What names the proxy itself means the door. Everything else stays, so that the door has to refuse it.
      ...(incoming.headers.origin === `http://localhost:${portOf(server)}` && { origin: target.origin }),
    };
    const passed = request(target, { method: incoming.method, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    passed.on('error', (error) => answer.writeHead(502).end(error.message));
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://localhost:${portOf(server)}/mcp`, close: () => closed(server) };
}

/** @throws Error if the server does not listen */
function portOf(server: Server): number {
  const address = server.address();
  // A server that listens on a port has an address of this kind.
  if (address === null || typeof address === 'string') throw new Error('The proxy does not listen on a port');
  return (address satisfies AddressInfo).port;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
