import { parseArgs } from 'node:util';
import { measureGrowth } from './measure.ts';
import { growthSection, missedGrowth } from './report.ts';

/**
 * `npm run bench:growth -- [--quick] [--axis TEXT]`: prints the section about growth, without writing the page. `--axis`
 * measures only the axes whose names contain the text.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, axis: { type: 'string' } } });
const results = await measureGrowth({ quick: values.quick, progress: (text) => console.error(text) }, values.axis);
console.log(growthSection(results));
for (const sentence of missedGrowth(results)) console.log(`missed: ${sentence}`);
