import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readZip } from './zip.ts';

/** Unpacks the archive of a function to a folder, as Lambda does before it starts the function. */
export function unpack(zip: string, folder: string): void {
  for (const { name, bytes } of readZip(readFileSync(zip))) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}
