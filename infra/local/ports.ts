import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { StartError } from './start-error.ts';

const LAST_PORT = 65_535;
/**
 * Free ports are taken from here. The system gives the ports above to outgoing connections: a server that ends and starts
 * again on such a port can find it taken by a connection of another process.
 */
const [FIRST_FREE, LAST_FREE] = [20_000, 32_767];

/** Returns a TCP port that was free a moment ago, and that the system gives to no outgoing connection. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST_FREE, LAST_FREE + 1);
  const problem = await tryPort(port, '127.0.0.1');
  if (problem === null) return port;
  if (!isCode(problem, 'EADDRINUSE')) throw problem;
  return freePort();
}

/** Returns the given port if it is free, otherwise any free port. 0 stands for any port. */
export async function preferredPort(port: number): Promise<number> {
  if (port === 0 || port > LAST_PORT || (await tryPort(port, '0.0.0.0'))) return freePort();
  return port;
}

/**
 * Checks that a port can be used, before anything slow is started.
 *
 * @throws StartError if the port is taken or if this user may not use it
 */
export async function requirePort(port: number): Promise<void> {
  for (const host of port === 0 ? [] : ['127.0.0.1', '::1']) {
    const problem = portError(await tryPort(port, host), port);
    if (problem) throw problem;
  }
}

/** Returns the error for the user if listening failed because of the port, otherwise undefined. */
export function portError(error: unknown, port: number): StartError | undefined {
  if (isCode(error, 'EADDRINUSE')) {
    return new StartError(`Port ${port} is taken: choose another one with --port or PORT.`, error);
  }
  if (isCode(error, 'EACCES')) {
    return new StartError(`Port ${port} may not be used: choose one above 1023 with --port or PORT.`, error);
  }
  return undefined;
}

/** @returns why the port cannot be listened on, or null */
async function tryPort(port: number, host: string): Promise<unknown> {
  const probe = createServer();
  try {
    await listen(probe, port, host);
  } catch (error) {
    return error;
  }
  await close(probe);
  return null;
}

/** Resolves as soon as the server accepts connections. Rejects with the error of the system, such as `EADDRINUSE`. */
export const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server listens on no port');
  return address.port;
}

/** Closes a server: it accepts no more connections, waits `graceMillis` for running requests, then cuts connections. */
export async function close(server: Server, graceMillis = 0): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMillis);
  await closed;
  clearTimeout(timer);
}

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
