import { expect, test } from 'vitest';
import { databaseClient } from '#shared/store/database.ts';

test("the client of the database counts its calls, and makes no lines for the SDK's own log", () => {
  const steps = databaseClient({ region: 'eu-central-1' }).middlewareStack.identify().join('\n');
  expect(steps).toContain('call-meter');
  expect(steps).not.toMatch(/log/i);
});
