import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keyProxy } from './key-proxy.ts';
import { type Behind, readSummary, verdictOf } from './summary.ts';
import type { Door } from './test-door.ts';

/**
 * `npm run conformance:mcp -- FOLDER (--key KEY [--url URL] | --test-tools)`: runs the public suite of the agents' protocol against the
 * door of a running service, or against the same door with the tools that the suite asks for. It prints what passed, what nobody asks of
 * this door, and what failed. docs/testing.md#the-protocol-of-agents describes it.
 */

const ENTRY = 'dist/index.js';
const {
  values,
  positionals: [folder],
} = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://localhost:8001' },
    key: { type: 'string' },
    'test-tools': { type: 'boolean', default: false },
  },
});

const hasTestTools = values['test-tools'];
if (folder === undefined || (values.key === undefined) !== hasTestTools || !existsSync(join(folder, ENTRY))) {
  console.error(
    `Name the folder of the installed package @modelcontextprotocol/conformance, which has ${ENTRY}, and either a key of the service with --key, or --test-tools`,
  );
  process.exitCode = 2;
} else {
  const door = await openDoor(values.key, values.url);
  try {
    const proxy = await keyProxy(door.address, door.key);
    try {
      const { output, exit } = await run(join(folder, ENTRY), proxy.address);
      const behind: Behind = hasTestTools ? 'test tools' : 'own tools';
      const { lines, code } = verdictOf(readSummary(output), exit, behind);
      console.log(lines.join('\n'));
      process.exitCode = code;
    } finally {
      await proxy.close();
    }
  } finally {
    await door.stop();
  }
}

/** @param key of the service at the address; without one, the door to the tools of the suite is started */
async function openDoor(key: string | undefined, url: string): Promise<Door> {
  if (key !== undefined) return { address: new URL('/api/v2/mcp', url), key, stop: async () => undefined };
  // The stack is loaded only where it is needed.
  const { startTestDoor } = await import('./test-door.ts');
  return startTestDoor();
}

/** Runs the suite in a process of its own, since it ends its process. @returns its exit code is null if a signal ended it */
async function run(entry: string, address: string): Promise<{ output: string; exit: number | null }> {
  const child = spawn(process.execPath, [entry, 'server', '--url', address], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  const [exit] = await ended;
  return { output, exit: typeof exit === 'number' ? exit : null };
}
