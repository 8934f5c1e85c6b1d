import { writeFileSync } from 'node:fs';
import { groups } from '#functions/groups.ts';
import { permissionsDocument } from './documents/permissions-document.ts';

/** Writes docs/permissions.md. Run this after changing the endpoints or the roles that may call them. */
writeFileSync(new URL('../docs/permissions.md', import.meta.url), permissionsDocument(groups));
