import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

/** `npm run soak -- --seconds N [--containers N]`: runs mixed traffic with faults, then checks all data. Ends with 1 if a check fails. */

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, containers: { type: 'string' } },
});
const seconds = Number(values.seconds);
if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds must be a whole number from 1');
const containers = values.containers === undefined ? undefined : Number(values.containers);
if (containers !== undefined && !(Number.isInteger(containers) && containers >= 1)) {
  throw new Error('--containers must be a whole number from 1');
}

const log = join(mkdtempSync(join(tmpdir(), 'soak-')), 'stack.log');
const { problems, ...found } = await soak({ seconds, containers, log, progress: (text) => console.error(text) });
console.log(JSON.stringify(found, null, 2));
for (const problem of problems) console.log(problem);
console.log(
  problems.length === 0
    ? 'Every answered write is stored exactly once, and every shown verdict is right.'
    : `${problems.length} problems; log: ${log}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
