import { readFileSync } from 'node:fs';
import { removeOthers } from './builtins.mjs';

/** Removes from the language what Node 20 does not have, before a program starts: `node --import=…/as-node-20.mjs`. */
removeOthers(readFileSync(new URL('builtins-of-node-20.txt', import.meta.url), 'utf8'));
