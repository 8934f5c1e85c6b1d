import { createServer, type RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { close, freePort, listen, portOf } from '#infra/local/ports.ts';
import { keyProxy } from './key-proxy.ts';

/** Asks a door that behaves so through the proxy. */
async function askThrough(door: RequestListener): Promise<Response> {
  const server = createServer(door);
  await listen(server, 0, '127.0.0.1');
  const proxy = await keyProxy(new URL(`http://127.0.0.1:${portOf(server)}/mcp`), 'secret');
  try {
    const answer = await fetch(proxy.address, { signal: AbortSignal.timeout(2_000) });
    return new Response(await answer.text(), { status: answer.status });
  } finally {
    await Promise.all([proxy.close(), close(server)]);
  }
}

it('the proxy passes a request on with the key, and the answer back', async () => {
  const answer = await askThrough(({ headers }, response) => response.writeHead(201).end(headers.authorization));
  expect([answer.status, await answer.text()]).toEqual([201, 'Bearer secret']);
});

it('an answer that breaks off at the door breaks off at the proxy', async () => {
  const asked = askThrough((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half');
    setTimeout(() => response.destroy(), 10);
  });
  await expect(asked).rejects.toThrow('terminated');
});

it('a door that is not there is a 502', async () => {
  const proxy = await keyProxy(new URL(`http://127.0.0.1:${await freePort()}/mcp`), 'secret');
  const answer = await fetch(proxy.address);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('ECONNREFUSED')]);
  await proxy.close();
});
