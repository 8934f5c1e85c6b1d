import { expect, it, vi } from 'vitest';
import { startSweep } from '#infra/local/events/sweep.ts';

it('repeats sweeps without overlap, also after a failed sweep', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let running = 0;
  let most = 0;
  let sweeps = 0;
  const sweep = startSweep(async () => {
    sweeps += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    if (sweeps === 1) throw new Error('the first sweep fails');
  }, 0.001);
  await vi.waitFor(() => expect(sweeps).toBeGreaterThan(3));
  await sweep.stop();
  const last = sweeps;
  expect([most, running]).toEqual([1, 0]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(sweeps).toBe(last);
  expect(error).toHaveBeenCalledOnce();
  error.mockRestore();
});
