import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifierFolder } from './verifier-folder.ts';

/** Reads the verifier that exports contain. */
export const readVerifier = (): Promise<Buffer> => readFile(join(verifierFolder(), 'verify.mjs'));
