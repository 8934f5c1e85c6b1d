import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { logApplied } from '#functions/relay/batch-line.ts';
import { SIGNAL_LINES } from '#infra/constructs/log-lines.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';

const storedAt = (seconds?: number): DynamoDBRecord => ({
  dynamodb: seconds === undefined ? {} : { ApproximateCreationDateTime: seconds },
});

function linesOf(applied: readonly DynamoDBRecord[], nowSeconds: number): LogEntry[] {
  const lines: LogEntry[] = [];
  logApplied('call-1', applied, { log: (entry) => void lines.push(entry), wallClock: () => nowSeconds * 1000 });
  return lines;
}

describe('the line of the relay about applied records', () => {
  test('counts records, late ones among them, and has the age of the oldest', () => {
    expect(linesOf([storedAt(1000), storedAt(1001), storedAt(1031)], 1031)).toMatchObject([
      { level: 'INFO', message: SIGNAL_LINES.applied, request_id: 'call-1', records: 3, late: 1, oldest_seconds: 31 },
    ]);
  });

  test('counts a record of exactly 30 seconds in time', () => {
    expect(linesOf([storedAt(1000)], 1030)).toMatchObject([{ records: 1, late: 0 }]);
  });

  test('counts a record without a time, or with one in the future, as new', () => {
    expect(linesOf([storedAt(), storedAt(2000)], 1000)).toMatchObject([{ records: 2, late: 0, oldest_seconds: 0 }]);
  });

  test('is not written if every record comes again', () => {
    expect(linesOf([], 1000)).toEqual([]);
  });
});
