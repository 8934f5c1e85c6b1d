import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '#infra/local/ports.ts';

/** A service that runs: its address, and a key of the organization `demo`. */
export interface Service {
  api: string;
  key: string;
  stop: () => Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../infra/local/main.ts', import.meta.url));

/** Starts the service on this machine as `npm start` does, with its data in memory. @throws Error if it does not start */
export async function startService(): Promise<Service> {
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN, '--ephemeral', '--no-demo', '--port', `${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const key = await new Promise<string>((resolve, reject) => {
    let printed = '';
    // The service also prints its requests, which nobody reads here.
    child.stdout.on('data', (chunk: Buffer) => {
      if (printed.includes('Ctrl-C stops it.')) return;
      printed += chunk.toString();
      const [, found] = /shown only now\): (\S+)[\s\S]*Ctrl-C stops it\./.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`The service did not start: ${printed}`)));
  });
  return {
    api: `http://localhost:${port}/api/v2`,
    key,
    stop: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}
