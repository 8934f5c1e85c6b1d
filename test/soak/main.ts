import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

/** `npm run soak -- --seconds N`: mixed traffic with faults, then the checker; fails where it finds anything. */

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } });
const seconds = Number(values.seconds);
if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds is a number from 1 on');

const log = join(mkdtempSync(join(tmpdir(), 'soak-')), 'stack.log');
const { problems, ...found } = await soak({ seconds, log, tell: (text) => console.error(text) });
console.log(JSON.stringify(found, null, 2));
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? 'Every answered write is there once.' : `${problems.length} problems; log: ${log}`);
process.exitCode = problems.length === 0 ? 0 : 1;
