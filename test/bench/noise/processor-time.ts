import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Sample } from './other-work.ts';

/** Reads the processor time of the machine and of its processes, as Linux reports it in `/proc`. */

export const hasProcessorTimes = (): boolean => existsSync('/proc/stat');

interface Process {
  pid: number;
  parent: number;
  name: string;
  /** Of the process itself. */
  ticks: number;
  /** Of the children that have ended, with their own children. */
  ofChildren: number;
}

/**
 * The time of a process that ends moves to its parent process. If a process ended while the times were read, the sample can
 * miss its time, so it is taken again.
 */
const TRIES = 10;

/** The processes of the benchmark in the last sample, by id. A process whose parent ended belongs to it as before. */
let known = new Map<number, Process>();
/** Time of processes that ended without a parent of the benchmark: it moved to a process that is not of the benchmark. */
let lost = 0;

/** Takes a sample, in which this process and all its descendants count as the benchmark's own. */
export function takeSample(): Sample {
  let processes = readProcesses();
  for (let i = 1; processes.includes('ended') && i < TRIES; i += 1) processes = readProcesses();
  return sampleOf(processes.filter((one) => one !== 'ended'));
}

function sampleOf(processes: readonly Process[]): Sample {
  const own = treesOf(new Set([process.pid, ...known.keys()]), processes);
  for (const before of known.values()) {
    if (!own.has(before.pid) && !known.has(before.parent)) lost += timeOf(before);
  }
  known = own;
  return {
    ...machineTimes(readFileSync('/proc/stat', 'utf8')),
    own: [...own.values()].reduce((sum, one) => sum + timeOf(one), lost),
    others: processes.filter(({ pid }) => !own.has(pid)),
  };
}

const timeOf = ({ ticks, ofChildren }: Process): number => ticks + ofChildren;

/**
 * Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. Interrupts are no other work,
 * because the benchmark's own calls over the loopback interface cause most of them, and the system names no process for them.
 */
export function machineTimes(text: string): Pick<Sample, 'capacity' | 'busy' | 'stolen'> {
  const line = text.split('\n')[0] ?? '';
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + stolen;
  return { capacity: busy + idle + iowait + irq + softirq, busy, stolen };
}

function readProcesses(): (Process | 'ended')[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    try {
      return processTimes(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'ended';
      throw error;
    }
  });
}

/** Reads `/proc/PID/stat`. The name is in parentheses and can contain spaces and parentheses. */
export function processTimes(text: string): Process {
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(text, 10),
    name: nameOf(text.slice(text.indexOf('(') + 1, end)),
    parent: field(4),
    ticks: field(14) + field(15),
    ofChildren: field(16) + field(17),
  };
}

/** Node gives its main thread a name of its own. */
const nameOf = (name: string): string => (name === 'MainThread' ? 'node' : name);

/** Returns the processes with these ids and all their descendants. */
function treesOf(roots: ReadonlySet<number>, processes: readonly Process[]): Map<number, Process> {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found = new Map<number, Process>();
  const add = (one: Process) => {
    if (found.has(one.pid)) return;
    found.set(one.pid, one);
    children.get(one.pid)?.forEach(add);
  };
  for (const one of processes) if (roots.has(one.pid)) add(one);
  return found;
}
