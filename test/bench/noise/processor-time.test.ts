import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { hasProcessorTimes, takeSample } from './processor-time.ts';

const BUSY = 'const until = Date.now() + 300; while (Date.now() < until);';

/** Starts a process that leaves a busy one behind, and returns the id of the latter. */
async function startOrphan(): Promise<number> {
  const child = `const { spawn } = require('node:child_process'); const left = spawn(process.execPath, ['-e', ${JSON.stringify(
    `${BUSY} setInterval(() => {}, 1000)`,
  )}], { stdio: 'ignore' }); left.unref(); console.log(left.pid)`;
  const parent = spawn(process.execPath, ['-e', child], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  takeSample();
  await once(parent, 'exit');
  return Number(line);
}

it.skipIf(!hasProcessorTimes())(
  'counts a process as its own after its parent has ended, and its time after it has ended too',
  async () => {
    const orphan = await startOrphan();
    const alive = takeSample();
    expect(alive.others.map(({ pid }) => pid)).not.toContain(orphan);
    process.kill(orphan);
    await expect.poll(() => takeSample().others.some(({ pid }) => pid === orphan)).toBe(false);
    expect(takeSample().own).toBeGreaterThanOrEqual(alive.own);
  },
);
