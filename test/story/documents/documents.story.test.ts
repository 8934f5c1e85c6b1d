import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endStack, type StackProcess, spawnStack } from '#test/support/stack-process.ts';
import { type Command, commandsOf, DOCUMENTS, isShown, ROOT } from './document-blocks.ts';

const LONGEST_MILLIS = 110_000;

describe('the commands in the documentation', () => {
  let dir = '';
  let stack: StackProcess | undefined;
  let environment: Record<string, string> = {};
  const dataDir = () => join(dir, '.local');

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'documents-'));
    // Readers run the commands in the project's folder. A copy of links keeps their files out of it.
    for (const entry of readdirSync(ROOT)) {
      if (!entry.startsWith('.')) symlinkSync(join(ROOT, entry), join(dir, entry));
    }
    stack = await spawnStack(dataDir());
    const { url } = await stack.ready();
    const [, key = ''] = /shown only now\): (\S+)/.exec(stack.stdout) ?? [];
    environment = { ...pathOnly(), HOME: dir, KEY: key, API: `${url}/api/v2` };
  });

  afterAll(async () => {
    if (stack) await endStack(stack, dataDir());
    if (dir !== '') rmSync(dir, { recursive: true, force: true });
  });

  // The README is first, because the other pages continue from its state.
  it.each(DOCUMENTS.filter((document) => commandsOf(document).length > 0))(
    'the commands in %s print what the page shows',
    async (document) => {
      const commands = commandsOf(document);
      const outputs = await inOneShell(document, commands, dir, environment);
      for (const [i, { line, output }] of commands.entries()) {
        const printed = outputs[i] ?? '';
        if (output !== null && !isShown(output, printed)) {
          expect.soft(printed.trim(), `${document}:${line}`).toBe(output.trim());
        }
      }
    },
  );
});

/** The commands get only the search path from this process's environment. */
const pathOnly = (): Record<string, string> => ({ PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` });

const END = '--- end of block ---';

/** @returns what each block printed. @throws Error naming the block that failed */
function inOneShell(
  document: string,
  commands: readonly Command[],
  cwd: string,
  env: Record<string, string>,
): Promise<string[]> {
  const script = ['set -eu', ...commands.flatMap(({ text }) => [text, `echo; echo '${END}'`])].join('\n');
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script], { cwd, env, timeout: LONGEST_MILLIS }, (error, stdout, stderr) => {
      const parts = stdout.split(`${END}\n`);
      const rest = parts.pop() ?? '';
      if (error === null) return resolve(parts);
      const place = `${document}:${commands[parts.length]?.line}`;
      reject(new Error(`${place} failed with ${error.code ?? error.signal}: ${rest}${stderr}`));
    });
  });
}
