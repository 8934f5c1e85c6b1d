import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import type { BenchStack } from '../bench-stack.ts';
import { eventOf } from '../client.ts';
import type { BenchOrganization } from '../organizations/organizations.ts';
import type { MeasuredRequest } from '../requests/measured.ts';
import { spreadOf } from '../spread.ts';
import type { ColdResult } from './results.ts';
import { bareEventOf, seedsOf } from './salt.ts';

/** Measures the time from the start of a process to its first answer, in turns for a function and for bare calls. */

/** Loads the bundle in the working directory, calls it once with the event of a file and prints the status. */
const SCRIPT = `
  const { deserialize } = require('node:v8');
  const { readFileSync } = require('node:fs');
  const { handler } = require('./index.js');
  const event = deserialize(readFileSync(process.argv[1]));
  handler(event, {}).then(({ statusCode }) => console.log('first answer ' + statusCode));`;

export interface Startable {
  folder: string;
  env: Record<string, string>;
}

/** Requests with these numbers were not made before, so that writes make new things. */
const FIRST_NUMBER = 1_000_000;

export async function compareStarts(
  stack: BenchStack,
  { name, trails, client }: BenchOrganization,
  request: MeasuredRequest,
  functions: Startable & { size: number },
  tuned: Startable,
  starts: number,
): Promise<ColdResult> {
  const event = (n: number) => eventOf(request.build(name, FIRST_NUMBER + n, trails), client.key);
  const handler = stack.newHandler(request.group);
  const recording = await stack.recorder.record(async () => void (await handler(event(0))));
  const times: { functions: number; tuned: number }[] = [];
  for (let i = 1; i <= starts; i += 1) {
    const salt = `cold-${request.name}-${i}#`;
    await stack.services.table.putMany(seedsOf(recording.calls, salt));
    const ours = () => firstAnswer(functions, event(i), request.expected);
    const bare = () => firstAnswer(tuned, bareEventOf(recording, salt), 200);
    const [first, second] = i % 2 === 0 ? [await ours(), await bare()] : [await bare(), await ours()];
    times.push(i % 2 === 0 ? { functions: first, tuned: second } : { functions: second, tuned: first });
  }
  return {
    group: request.group.name,
    request: request.name,
    size: functions.size,
    calls: recording.calls.length,
    functions: spreadOf(times.map((time) => time.functions)),
    tuned: spreadOf(times.map((time) => time.tuned)),
    ratio: spreadOf(times.map((time) => time.functions / time.tuned)),
  };
}

/** @returns milliseconds */
async function firstAnswer({ folder, env }: Startable, event: unknown, expected: number): Promise<number> {
  const file = join(folder, 'event');
  writeFileSync(file, serialize(event));
  const began = performance.now();
  const child = spawn(process.execPath, ['-e', SCRIPT, file], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (!text.includes(`first answer ${expected}\n`)) continue;
    const millis = performance.now() - began;
    child.kill('SIGKILL');
    await exited;
    return millis;
  }
  throw new Error(`The bundle in ${folder} did not answer ${expected}: ${text}`);
}
