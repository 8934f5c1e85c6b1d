import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import { close, listen, portOf } from '#infra/local/ports.ts';

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
      // What breaks off at the door breaks off for the client too.
      pipeline(found, answer, () => undefined);
    });
    passed.on('error', (error) => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end(error.message);
    });
    incoming.pipe(passed);
  });
  await listen(server, 0, '127.0.0.1');
  return { address: `http://localhost:${portOf(server)}/mcp`, close: () => close(server) };
}
