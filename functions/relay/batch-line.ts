import type { DynamoDBRecord } from 'aws-lambda';
import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { requestAmong } from '#shared/table/stream-item.ts';

/** A write is late if its effects are applied after this time (rules/storage.md#objectives). In seconds. */
const LATE_SECONDS = 30;

/** Returns the ids of the requests that wrote the items of records (rules/storage.md#requests-of-effects). */
export const requestsIn = (records: readonly DynamoDBRecord[]): string[] => [
  ...new Set(records.flatMap(({ dynamodb }) => requestAmong(dynamodb?.NewImage ?? {}) ?? [])),
];

/**
 * Writes one line about the records of a batch that were applied: how many, how many of them late, and the age of the oldest in
 * seconds. Alarms read it. The stream rounds the time of a write to a second. `requests` are the requests that wrote the items.
 *
 * @param applied the records before the first one that comes again; a record that comes again counts when it is applied
 */
export function logApplied(
  call: string,
  applied: readonly DynamoDBRecord[],
  { log, wallClock }: { log?: Log | undefined; wallClock: () => number },
): void {
  if (applied.length === 0) return;
  const now = wallClock() / 1000;
  const ages = applied.map(({ dynamodb }) => Math.max(0, now - (dynamodb?.ApproximateCreationDateTime ?? now)));
  messageLog('relay', log, wallClock)(
    'INFO',
    'Applied records of the stream',
    { messageId: call },
    {
      records: applied.length,
      late: ages.filter((age) => age > LATE_SECONDS).length,
      oldest_seconds: Math.round(Math.max(...ages)),
      requests: requestsIn(applied),
    },
  );
}
