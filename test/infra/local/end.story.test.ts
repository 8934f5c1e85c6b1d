import { describe, expect, it } from 'vitest';
import { npmStart, processesOf, temporaryDir, terminalStart } from '#test/support/stack-process.ts';

describe('npm start ends everything that it started', () => {
  it('if npm alone is killed', async () => {
    const dataDir = temporaryDir();
    const stack = await npmStart(dataDir);
    await stack.ready();
    stack.signalFirst('SIGKILL');
    await expect.poll(() => processesOf(dataDir), { timeout: 15_000 }).toEqual([]);
  });

  it('if its terminal ends', async () => {
    const dataDir = temporaryDir();
    const terminal = await terminalStart(dataDir);
    await terminal.ready();
    expect(processesOf(dataDir).length).toBeGreaterThan(1);
    terminal.signalFirst('SIGKILL');
    await expect.poll(() => processesOf(dataDir), { timeout: 15_000 }).toEqual([]);
  });
});
