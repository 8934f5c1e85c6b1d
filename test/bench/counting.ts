import type { BenchStack } from './bench-stack.ts';
import { median } from './timing.ts';

/** What a request uses. */
export interface Counts {
  calls: number;
  /** The number of calls that run one after another. */
  trips: number;
  read: number;
  write: number;
  /** Calls of the bucket, which `calls` includes. */
  objectReads: number;
  objectWrites: number;
}

export interface Counted extends Counts {
  /** The last answer. */
  answer: string;
}

/**
 * Counts what a request uses: the median of several. The first request only fills the function's memories and is not
 * counted.
 * @param send sends the request and returns the answer
 */
export async function countRequest(stack: BenchStack, samples: number, send: () => Promise<string>): Promise<Counted> {
  let answer = await send();
  const counted: Counts[] = [];
  for (let i = 0; i < samples; i += 1) {
    const recording = await stack.recorder.record(async () => {
      answer = await send();
    });
    const { aws_calls: calls = 0, aws_sequential: trips = 0 } = stack.lastEntry() as unknown as Record<string, number>;
    const objects = (name: string) => recording.calls.filter(({ command }) => command.startsWith(name)).length;
    const { read, write } = recording;
    counted.push({ calls, trips, read, write, objectReads: objects('GetObject'), objectWrites: objects('PutObject') });
  }
  const medianOf = (field: keyof Counts) => median(counted.map((one) => one[field]));
  return {
    calls: medianOf('calls'),
    trips: medianOf('trips'),
    read: medianOf('read'),
    write: medianOf('write'),
    objectReads: medianOf('objectReads'),
    objectWrites: medianOf('objectWrites'),
    answer,
  };
}
