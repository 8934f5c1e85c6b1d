import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { buildVerifier, VERIFIER } from './bundles/verifier.ts';

/** `npm run build:verifier`: makes the verifier as one file, and prints its SHA-256, its path and its size. */

const folder = await buildVerifier();
const file = join(folder, VERIFIER);
const [sha256] = readFileSync(`${file}.sha256`, 'utf8').split(' ');
process.stdout.write(`${sha256}  ${file}\n${(statSync(file).size / 1000).toFixed(0)} KB\n`);
