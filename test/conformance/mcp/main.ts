import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keyProxy } from './key-proxy.ts';
import { readSummary, verdictOf } from './summary.ts';

/**
 * `npm run conformance:mcp -- FOLDER --key KEY`: runs the public suite of the agents' protocol against the door of a running service, and
 * prints what passed, what the suite asks of a test server only, and what failed. docs/testing.md#the-protocol-of-agents describes it.
 */

const ENTRY = 'dist/index.js';
const {
  values,
  positionals: [folder],
} = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string', default: 'http://localhost:8001' }, key: { type: 'string' } },
});

if (folder === undefined || values.key === undefined || !existsSync(join(folder, ENTRY))) {
  console.error(
    `Name the folder of the installed package @modelcontextprotocol/conformance, which has ${ENTRY}, and a key of the service with --key`,
  );
  process.exitCode = 2;
} else {
  const proxy = await keyProxy(new URL('/api/v2/mcp', values.url), values.key);
  try {
    const output = await run(join(folder, ENTRY), proxy.address);
    const { lines, code } = verdictOf(readSummary(output));
    console.log(lines.join('\n'));
    process.exitCode = code;
  } finally {
    await proxy.close();
  }
}

/** Runs the suite in a process of its own, since it ends its process. */
async function run(entry: string, address: string): Promise<string> {
  const child = spawn(process.execPath, [entry, 'server', '--url', address], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  return output;
}
