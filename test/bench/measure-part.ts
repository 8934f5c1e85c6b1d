import { parseArgs } from 'node:util';
import { partNamed } from './parts.ts';

/** Entry of the process that measures one part. It sends the result to its parent process and ends. */

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
  allowPositionals: true,
});
const { quick, only } = values;
const result = await partNamed(positionals[0] ?? '').measure({
  quick,
  only,
  progress: (text) => console.error(text),
});
process.send?.({ result }, () => process.disconnect());
