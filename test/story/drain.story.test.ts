import { expect, it } from 'vitest';
import { drain } from '#test/bench/programs/drain.ts';

it('sends every delivery of 300 events to three actions', { timeout: 300_000 }, async () => {
  const { expected, delivered } = await drain(300);
  expect(delivered).toBe(expected);
});
