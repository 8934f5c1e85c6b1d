import { parseArgs } from 'node:util';
import { partNamed } from './parts.ts';
import { storedResult } from './results.ts';

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
  resultOf: ({ name }) => {
    const stored = storedResult(name, quick);
    if (!stored) throw new Error(`The part '${name}' has to be measured first`);
    return stored.result as never;
  },
});
process.send?.({ result }, () => process.disconnect());
