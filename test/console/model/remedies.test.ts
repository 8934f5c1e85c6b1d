import { expect, it } from 'vitest';
import { remedyFor } from '#console/model/remedies.ts';

it.each([0, 400, 401, 403, 404, 429, 500, 503])('a failure with status %d says what to do', (status) => {
  expect(remedyFor({ status, retryAfter: status === 429 ? 7 : null })).toMatch(/\.$/);
  if (status === 429) expect(remedyFor({ status, retryAfter: 7 })).toContain('7 s');
});
