import { writeFileSync } from 'node:fs';
import { glossaryDocument } from './glossary-document.ts';

/** Writes docs/glossary.md. Run this after a change of shared/console/glossary.ts. */
writeFileSync(new URL('../../docs/glossary.md', import.meta.url), glossaryDocument());
