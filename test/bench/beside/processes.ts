import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processor time and files of running systems, as Linux shows them. */

/** Length of the unit of processor time in `/proc`, in milliseconds. */
const TICK_MILLIS = 10;

interface Process {
  id: number;
  parent: number;
  millis: number;
}

/** @returns undefined if the process has ended */
function processOf(id: number): Process | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return;
    throw error;
  }
  // The name of the program is in parentheses and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
  return { id, parent: parent ?? 0, millis: ((user ?? 0) + (system ?? 0)) * TICK_MILLIS };
}

/** Adds the processor time of processes and their descendants, in milliseconds. @throws Error if a process has ended */
export function cpuMillis(roots: readonly number[]): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)) ?? []);
  let level = all.filter(({ id }) => roots.includes(id));
  if (level.length < new Set(roots).size) throw new Error(`One of the processes ${roots.join(', ')} has ended`);
  let sum = 0;
  for (; level.length > 0; ) {
    const ids = new Set(level.map(({ id }) => id));
    for (const { millis } of level) sum += millis;
    level = all.filter(({ parent }) => ids.has(parent));
  }
  return sum;
}

/** The processor time of the whole machine that was not idle, in milliseconds. */
export const busyMillis = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/** Measures how much of a core the processes take while nobody calls them. */
export async function idleShare(roots: readonly number[]): Promise<number> {
  const [cpu, at] = [cpuMillis(roots), performance.now()];
  await sleep(5_000);
  return (cpuMillis(roots) - cpu) / (performance.now() - at);
}

/**
 * Waits until processes have completed what they do after their answers: for two seconds they take at most 5 percent of a core
 * more than while nobody calls them.
 * @returns whether that happened within three minutes
 */
export async function settled(roots: readonly number[], idle: number): Promise<boolean> {
  let quiet = 0;
  for (let second = 0; second < 180; second += 1) {
    const [cpu, at] = [cpuMillis(roots), performance.now()];
    await sleep(1_000);
    const share = (cpuMillis(roots) - cpu) / (performance.now() - at);
    quiet = share <= idle + 0.05 ? quiet + 1 : 0;
    if (quiet === 2) return true;
  }
  return false;
}

/** Adds the space that the files of folders take on the disk, in bytes. */
export function bytesOf(folders: readonly string[]): number {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.blocks ?? 0;
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return files.reduce((sum, file) => sum + sizeOf(file), 0) * 512;
}
