import { createRequire } from 'node:module';
import { join } from 'node:path';
import { argv, cpuUsage, exit, stdout } from 'node:process';

/**
 * The program of a process that calls the handler of one bundle as the runtime of a region does, and measures the calls. The
 * handler is `index.js` of the folder in its argument. The measurement is made here, so that nothing between the processes
 * counts.
 */

/** Events to call the handler with. */
export interface Work {
  events: readonly unknown[];
  /** How many calls run at the same time. */
  clients: number;
  /** No call begins after this time. Default: all events are used. */
  millis?: number | undefined;
}

/** What was measured. */
export interface Done {
  seconds: number;
  /** Processor time of this process, in milliseconds. */
  cpu: number;
  /** Time of each call. */
  millis: number[];
  /** How often the handler answered with each status. */
  statuses: Record<number, number>;
  /** AWS calls of each request, as the handler's log says. */
  awsCalls: number[];
  /** The first answer above 399, if there was one. */
  refusal?: string;
}

interface Answer {
  statusCode: number;
  body?: string;
}

const lines: string[] = [];
// Lines are parsed after the measurement. The function's own output goes nowhere.
stdout.write = (line: string | Uint8Array) => {
  lines.push(String(line));
  return true;
};

const [, , folder = ''] = argv;
const { handler } = createRequire(import.meta.url)(join(folder, 'index.js')) as {
  handler: (event: unknown, context: object) => Promise<Answer>;
};

async function run({ events, clients, millis = Number.POSITIVE_INFINITY }: Work): Promise<Done> {
  const done: Done = { seconds: 0, cpu: 0, millis: [], statuses: {}, awsCalls: [] };
  lines.length = 0;
  const left = events.values();
  const usage = cpuUsage();
  const began = performance.now();
  const client = async () => {
    for (const event of left) {
      const at = performance.now();
      const { statusCode, body } = await handler(event, {});
      const now = performance.now();
      done.millis.push(now - at);
      done.statuses[statusCode] = (done.statuses[statusCode] ?? 0) + 1;
      if (statusCode >= 400) done.refusal ??= `${statusCode} ${body?.slice(0, 500)}`;
      if (now - began >= millis) return;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  done.seconds = (performance.now() - began) / 1_000;
  const { user, system } = cpuUsage(usage);
  done.cpu = (user + system) / 1_000;
  done.awsCalls = lines.flatMap(callsOf);
  return done;
}

/** Reads the number of AWS calls from the line that the function logs for each request. */
function callsOf(line: string): number[] {
  const { message, aws_calls: calls } = JSON.parse(line) as { message: string; aws_calls: number };
  return message === 'request' ? [calls] : [];
}

process.on('disconnect', () => exit(0));
process.on('message', (work: Work) => {
  // An error of the handler ends this process; its parent process reports that.
  void run(work).then((done) => process.send?.(done));
});
