import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from './bundles/console.ts';

/** `npm run build:console`: compiles the console and prints the sizes of its files, compressed by gzip. */

const folder = await buildConsole();
const assets = join(folder, 'assets');
for (const name of readdirSync(assets).filter((file) => file.endsWith('.gz'))) {
  const kilobytes = (statSync(join(assets, name)).size / 1000).toFixed(1);
  console.log(`${kilobytes.padStart(8)} KB  ${name.slice(0, -'.gz'.length)}`);
}
console.log(`Compiled to ${folder}`);
