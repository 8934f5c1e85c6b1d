import { writeFileSync } from 'node:fs';
import { builtinTable, REFUSED } from '#shared/rego/index.ts';
import { builtinsDocument } from './documents/builtins-document.ts';

/** Writes docs/builtins.md. Run this after changing the functions that policies may call. */
writeFileSync(new URL('../docs/builtins.md', import.meta.url), builtinsDocument(builtinTable(), REFUSED));
