import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
}

export const LOOPBACK = ['127.0.0.0/8'];

type Answer = (response: http.ServerResponse, received: Received) => void;

/** A server on loopback that keeps what it was sent; ended when the test leaves its scope. */
export async function receiver(answer: Answer = (response) => response.end('ok')): Promise<Receiver> {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
    received.push(one);
    answer(response, one);
  });
  const { port, end } = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await end();
    },
  };
}

/** A server that does with each connection, after the first bytes came, what no HTTP server would do. */
export async function rawReceiver(behave: (socket: net.Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    // The other side goes away in the middle of things here: that is what is tested.
    socket.on('error', () => socket.destroy());
    socket.once('data', () => behave(socket));
  });
  const { port, end } = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await end();
    },
  };
}

async function listening(server: net.Server): Promise<{ port: number; end: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    end: () => new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  };
}
