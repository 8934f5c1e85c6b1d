import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '#test/run/tool.ts';
import { goldenFolders } from './golden-file.ts';

const [golden = ''] = goldenFolders(join(ROOT, 'infra/release'));

/** Starts `npm run golden` with a folder for temporary files of its own. */
function start(...args: string[]) {
  const temporary = mkdtempSync(join(tmpdir(), 'golden-command-'));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(ROOT, 'test/golden/main.ts'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, TMPDIR: temporary },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, errors }));
  return { child, ended, folders: () => readdirSync(temporary).filter((name) => name.startsWith('golden-back-')) };
}

describe('npm run golden', () => {
  it.each([
    ['no command', []],
    ['another command', ['wirte', '1.0.0']],
    ['no version', ['write']],
    ['a text that is no version', ['write', 'next']],
    ['an unknown option', ['read', '--fast']],
    ['a commit for a command that takes none', ['read', '--commit', 'HEAD']],
    ['a commit that does not exist', ['back', golden, '--commit', 'nowhere']],
  ])('refuses %s with a sentence', async (_, args) => {
    const { code, errors } = await start(...args).ended;
    expect(code).toBe(2);
    expect(errors.trim().split('\n')).toHaveLength(1);
  });

  it('removes what it wrote when Ctrl-C ends it', async () => {
    const { child, ended, folders } = start('back', golden, '--commit', 'HEAD');
    await expect.poll(folders, { timeout: 60_000, interval: 100 }).toHaveLength(1);
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, errors: expect.stringContaining('Stopped by SIGINT.') });
    expect(folders()).toEqual([]);
  });
});
