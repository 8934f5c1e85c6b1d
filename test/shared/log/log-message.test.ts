import { expect, it } from 'vitest';
import type { OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { LogMessage, logMessages } from '#shared/log/log-message.ts';
import { testId, testName } from '#test/support/ids.ts';
import { trailEntries } from '#test/support/log/log-entries.ts';

const ORG = testId<OrganizationId>('org');

it('cuts entries into messages of at most 100 KB, of which ten fit one call of the queue', () => {
  const entries = trailEntries(ORG, 'long', 500);
  // The relay reads 100 records at a time, so it names at most as many trails.
  const trails = new Map(
    Array.from({ length: 100 }, (_, i) => [testId<TrailId>(`${i}`), testName<TrailName>('x'.repeat(200))]),
  );
  const messages = logMessages(ORG, entries, trails);
  expect(messages.length).toBeGreaterThan(2);
  for (const { body, group } of messages) {
    expect([group, JSON.stringify(body).length < 100_000]).toEqual([ORG, true]);
  }
  const read = messages.map(({ body }) => LogMessage.parse(JSON.parse(JSON.stringify(body))));
  expect(read.flatMap((message) => message.entries)).toEqual(entries.map((entry) => entry.toString('base64')));
  expect(logMessages(ORG, [], trails)).toEqual([]);
});
