import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import type { LimitResult } from '../limit/results.ts';
import { loadNow } from '../noise/watch.ts';
import { median } from '../timing.ts';

/**
 * `npm run bench:paired -- --before FOLDER [--rounds N] [--only TEXT]...`: runs the part `limit` of the benchmark in another
 * checkout of this project and in this one, in turn, and compares the requests whose names contain a TEXT. Each round
 * measures both, so other work of the machine affects both alike. A difference is real if it is larger than the spread of the
 * rounds.
 */

/** The writes of evidence. */
const WRITES = ['begin trail', 'attest, 2 KB', 'report artifact'];

interface Figures {
  perSecond: number;
  cpuMillis: number;
  calls: number;
  readUnits: number;
  writeUnits: number;
}
const MEASURED = ['perSecond', 'cpuMillis'] as const;
const COUNTED = ['calls', 'readUnits', 'writeUnits'] as const;

/** Runs the part `limit` in a checkout. @returns the figures of the requests by their names */
async function run(folder: string, only: string): Promise<Map<string, Figures>> {
  const options = ['test/bench/main.ts', '--part', 'limit', '--only', only, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: folder });
  const { warm } = (JSON.parse(stdout) as { limit: { result: LimitResult } }).limit.result;
  return new Map(
    warm.map(({ request, calls, readUnits, writeUnits, one: { functions } }) => [
      request,
      { perSecond: functions.rate.median, cpuMillis: functions.cpu.median, calls, readUnits, writeUnits },
    ]),
  );
}

const percent = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)} %`;

/** Describes the change from the first to the second figures of each round: the median, the lowest and the highest. */
function change(pairs: readonly [Figures, Figures][], of: keyof Figures): string {
  const changes = pairs.map(([before, after]) => after[of] / before[of] - 1);
  return `${percent(median(changes))} (${percent(Math.min(...changes))} to ${percent(Math.max(...changes))})`;
}

function lineOf(name: string, pairs: readonly [Figures, Figures][]): string {
  const counts = COUNTED.map((of) => {
    const [before, after] = [0, 1].map((side) => median(pairs.map((pair) => pair[side as 0 | 1][of])));
    return `${of} ${before} → ${after}`;
  });
  const measured = MEASURED.map((of) => `${of} ${change(pairs, of)}`);
  return `${name}: ${[...counts, ...measured].join(', ')}`;
}

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: WRITES },
  },
});
const { before, only } = values;
const rounds = Number(values.rounds);
if (before === undefined) throw new Error('--before needs the folder of another checkout of this project');
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');
const pairs = new Map<string, [Figures, Figures][]>();
for (let round = 0; round < rounds; round += 1) {
  for (const text of only) {
    // The first one of a round changes, so that neither always has the colder machine.
    const folders = round % 2 === 0 ? [before, '.'] : ['.', before];
    const [first, second] = [await run(folders[0] ?? '', text), await run(folders[1] ?? '', text)];
    const [old, now] = round % 2 === 0 ? [first, second] : [second, first];
    for (const [name, figures] of now) {
      const other = old.get(name);
      if (other) pairs.set(name, [...(pairs.get(name) ?? []), [other, figures]]);
    }
  }
  console.log(`After round ${round + 1} of ${rounds}, load ${loadNow().toFixed(1)}:`);
  for (const [name, measured] of pairs) console.log(lineOf(name, measured));
}
