import { writeFileSync } from 'node:fs';
import { builtinTable } from '#shared/rego/index.ts';
import { builtinsDocument } from './builtins-document.ts';

/** Writes docs/builtins.md anew: after a change of the functions that policies may call. */
writeFileSync(new URL('../docs/builtins.md', import.meta.url), builtinsDocument(builtinTable()));
