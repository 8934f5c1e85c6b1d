import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startBenchStack } from './bench-stack.ts';
import { type Counted, count, type Figures, figuresOf, type Pace } from './figures.ts';
import { logUses } from './log-cost.ts';
import { logSection } from './log-report.ts';
import { makeOrganization } from './organizations.ts';
import { loadNow, page } from './report.ts';
import { REQUESTS } from './requests.ts';

const USAGE = `Usage: npm run bench -- [options]

  --trails N    trails of the large organization (default 200000)
  --quick       takes about a minute: 2000 trails, short stretches; prints and does not write the page
  --only TEXT   measures only requests whose name contains TEXT; prints and does not write the page
  --log         counts only what the log costs; prints and does not write the page
`;
const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const SMALL = 1_000;
const LARGE = 200_000;
const LARGE_IF_QUICK = 2_000;
const PACE: Pace = { rounds: 9, millis: 300, atLeast: 24 };
const QUICK: Pace = { rounds: 1, millis: 200, atLeast: 1 };

const { values } = parseArgs({
  options: {
    trails: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    log: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(USAGE);
else if (values.log) await benchLog();
else await bench(values);

interface Options {
  trails?: string | undefined;
  quick: boolean;
  only?: string | undefined;
}

async function bench({ trails, quick, only }: Options): Promise<void> {
  const large = Number(trails ?? (quick ? LARGE_IF_QUICK : LARGE));
  if (!Number.isInteger(large) || large < SMALL) throw new Error(`--trails must be a whole number from ${SMALL}`);
  const chosen = REQUESTS.filter(({ name }) => only === undefined || name.includes(only));
  const progress = (text: string) => console.error(text);
  // Read before the benchmark itself adds to the load.
  const load = loadNow();
  const stack = await startBenchStack();
  try {
    const organizations = {
      small: await makeOrganization(stack, 'small', SMALL, progress),
      large: await makeOrganization(stack, 'large', large, progress),
    };
    const figures = new Map<string, Figures>();
    // Reads come first, because the writes of the benchmark change what reads find.
    for (const kind of ['read', 'write'] as const) {
      // All requests of a kind are counted before any is measured: then both organizations hold the same data.
      const counted: Counted[] = [];
      for (const request of chosen.filter((candidate) => candidate.kind === kind)) {
        counted.push(await count(stack, request, organizations));
      }
      for (const use of counted) {
        progress(use.request.name);
        figures.set(use.request.name, await figuresOf(stack, use, organizations, quick ? QUICK : PACE));
      }
    }
    const logs = only === undefined ? await logUses(stack, organizations.small, progress) : [];
    for (const { client } of Object.values(organizations)) client.close();
    const inOrder = chosen.flatMap(({ name }) => figures.get(name) ?? []);
    const command = `npm run bench${trails === undefined ? '' : ` -- --trails ${trails}`}`;
    const text = page({ command, trails: { small: SMALL, large }, load, figures: inOrder, logs });
    if (quick || only !== undefined) process.stdout.write(text);
    else writeFileSync(PAGE, text);
  } finally {
    await stack.stop();
  }
}

async function benchLog(): Promise<void> {
  const stack = await startBenchStack();
  try {
    const organization = await makeOrganization(stack, 'log', SMALL, console.error);
    process.stdout.write(`${logSection(await logUses(stack, organization, console.error))}\n`);
    organization.client.close();
  } finally {
    await stack.stop();
  }
}
