import { writeFileSync } from 'node:fs';
import { groups } from '#functions/groups.ts';
import { permissionsDocument } from './permissions-document.ts';

/** Writes docs/permissions.md anew: after a change of the endpoints, or of who may call them. */
writeFileSync(new URL('../docs/permissions.md', import.meta.url), permissionsDocument(groups));
