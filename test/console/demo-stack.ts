import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DEMO_ORGANIZATION } from '#infra/local/demo/people.ts';
import { freePort } from '#infra/local/ports.ts';

const MAIN = fileURLToPath(new URL('../../infra/local/main.ts', import.meta.url));
const KEY = /dek_[\w-]+/;
const ADDRESS = /ready at (\S+)/;
/** The end of what the stack prints when it has loaded the demo data. */
const LOADED = 'deliveries?state=dead';

export interface DemoStack extends AsyncDisposable {
  url: string;
  key: string;
  /** Name of the organization with the demo data. */
  org: string;
}

/** Starts a stack with demo data in a folder of its own, and waits until the data are loaded. */
export async function startDemoStack(): Promise<DemoStack> {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  const child = spawn(execPath, [MAIN, '--port', `${await freePort()}`, '--data-dir', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true });
  };
  try {
    const text = await outputUntil(child.stdout, LOADED);
    const [[, url = ''], [key = '']] = [ADDRESS.exec(text) ?? [], KEY.exec(text) ?? []];
    return { url, key, org: DEMO_ORGANIZATION, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Collects what a process prints, until a text. What it prints later is dropped, so that it never waits for a reader. */
function outputUntil(output: Readable, end: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  output.on('data', (part: Buffer) => {
    if (text.includes(end)) return;
    text += part;
    if (text.includes(end)) resolve(text);
  });
  output.on('end', () => reject(new Error(`The stack ended before it had loaded the demo data:\n${text}`)));
  return promise;
}
