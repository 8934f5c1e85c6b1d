import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type MeasuredPart, page } from './page/page.ts';
import { withFigures } from './page/readme.ts';
import { PARTS, partNamed } from './parts.ts';
import { storedResult } from './results.ts';
import { OtherWorkRan, runPart } from './run-part.ts';

const USAGE = `Usage: npm run bench -- [options]

Measures all parts, each in a process of its own, stores their results in .bench and writes docs/benchmarks.md and the
figures of README.md. It refuses to write them if other work runs on the machine.

  --part NAME      measures this part and prints its section; can be given several times
                   parts: ${PARTS.map(({ name }) => name).join(', ')}
  --write          with --part: writes the page from the new results and the stored results of the other parts
  --quick          takes about a minute for each part; prints and does not write the page
  --only TEXT      measures only requests whose name contains TEXT; prints and does not write the page
  --accept-noise   measures although other work runs on the machine; prints and does not write the page
  --json           prints the results as JSON

Exit codes: 1 if a part failed, 3 if other work ran and the page was therefore not written.
`;
const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const KEPT = 'The results of the parts that were measured before are kept in .bench.';
const WHEN_NOISY = 'Run the command on a quiet machine, or with --accept-noise to print the figures only.';
const FAILED = 1;
const NOISY = 3;

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'accept-noise': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(USAGE);
else process.exitCode = await bench();

async function bench(): Promise<number> {
  const { quick, only, part: names } = values;
  const chosen = names.length === 0 ? PARTS : names.map(partNamed);
  const isTrial = quick || only !== undefined || values['accept-noise'];
  const writes = !isTrial && (names.length === 0 || values.write);
  const measured: MeasuredPart[] = [];
  const failed: string[] = [];
  for (const part of chosen) {
    try {
      const stored = await runPart(part.name, { quick, only, forPage: writes, bearsNoise: part.isCounted === true });
      measured.push({ part, stored });
    } catch (error) {
      if (error instanceof OtherWorkRan) {
        console.error(`${error.message}. The page was not written. ${KEPT}\n${WHEN_NOISY}`);
        return NOISY;
      }
      console.error(error);
      failed.push(part.name);
    }
  }
  if (!writes) print(measured);
  else if (failed.length === 0) return writePage();
  if (failed.length === 0) return 0;
  console.error(`Failed: ${failed.join(', ')}.${writes ? ` The page was not written. ${KEPT}` : ''}`);
  return FAILED;
}

/** Writes the page from the stored results of all parts. */
function writePage(): number {
  const measured = PARTS.flatMap((part) => {
    const stored = storedResult(part.name);
    return stored ? [{ part, stored }] : [];
  });
  const missing = PARTS.filter((part) => !measured.some((one) => one.part === part)).map(({ name }) => name);
  const text = page(measured, missing);
  writeFileSync(PAGE, text);
  writeFileSync(README, withFigures(readFileSync(README, 'utf8'), text));
  return 0;
}

function print(measured: readonly MeasuredPart[]): void {
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify(Object.fromEntries(measured.map(({ stored }) => [stored.part, stored])))}\n`,
    );
  } else if (values.part.length === 0) {
    process.stdout.write(page(measured));
  } else {
    for (const { part, stored } of measured) process.stdout.write(`${part.section(stored.result).trim()}\n\n`);
  }
}
