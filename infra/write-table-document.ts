import { writeFileSync } from 'node:fs';
import { tableDocument } from './documents/table-document.ts';

/** Writes docs/table.md. Run this after changing keys or access patterns. */
writeFileSync(new URL('../docs/table.md', import.meta.url), tableDocument());
