import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';
import { runTenants } from './tenants/main.ts';

/**
 * `npm run soak -- --seconds N [--containers N]`: runs mixed traffic with faults, then checks all data. With `--organizations N --flood N
 * [--pace N] [--limit RATE/BURST]` it measures instead what organizations that flood the service do to the others. Ends with 1 if a check fails.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    containers: { type: 'string' },
    organizations: { type: 'string' },
    flood: { type: 'string', default: '1' },
    pace: { type: 'string' },
    limit: { type: 'string' },
  },
});

/** @throws Error unless the flag is a whole number from 1 */
function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value >= 1)) throw new Error(`--${flag} must be a whole number from 1`);
  return value;
}

/** @throws Error unless the flag is a number above 0 */
function rate(flag: string, text: string): number {
  const value = Number(text);
  if (!(Number.isFinite(value) && value > 0)) throw new Error(`--${flag} must be a number above 0`);
  return value;
}

const containers = values.containers === undefined ? undefined : wholeNumber('containers', values.containers);
const log = join(mkdtempSync(join(tmpdir(), 'soak-')), 'stack.log');

async function runFaults(): Promise<number> {
  const seconds = wholeNumber('seconds', values.seconds ?? '600');
  const { problems, ...found } = await soak({ seconds, containers, log, progress: (text) => console.error(text) });
  console.log(JSON.stringify(found, null, 2));
  for (const problem of problems) console.log(problem);
  console.log(
    problems.length === 0
      ? 'Every answered write is stored exactly once, and every shown verdict is right.'
      : `${problems.length} problems; log: ${log}`,
  );
  return problems.length === 0 ? 0 : 1;
}

process.exitCode =
  values.organizations === undefined
    ? await runFaults()
    : await runTenants({
        organizations: wholeNumber('organizations', values.organizations),
        flood: wholeNumber('flood', values.flood),
        seconds: wholeNumber('seconds', values.seconds ?? '60'),
        pace: values.pace === undefined ? undefined : rate('pace', values.pace),
        limit: values.limit,
        containers,
        log,
      });
