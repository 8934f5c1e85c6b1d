import { writeFileSync } from 'node:fs';
import { tableDocument } from './table-document.ts';

/** Writes docs/table.md anew: after a change of the keys or of the access patterns. */
writeFileSync(new URL('../docs/table.md', import.meta.url), tableDocument());
