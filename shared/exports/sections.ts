import { ADMINISTRATION, auditLog } from './families/administration.ts';
import { ENVIRONMENTS, EXPANSIONS } from './families/environments.ts';
import { EVIDENCE } from './families/evidence.ts';
import { introduction } from './introduction.ts';
import { logSection } from './log-section.ts';
import { bodies, files } from './object-sections.ts';
import type { Section } from './pages.ts';
import { statementBundles } from './statement-section.ts';

/**
 * The sections of an archive, in their order (rules/exports.md#order-of-reads). Objects come after the records that name them: an object is stored before
 * its record, so every object of a record is listed by then.
 */
export const SECTIONS: readonly Section[] = [
  introduction,
  ...ADMINISTRATION,
  EXPANSIONS,
  ...EVIDENCE,
  ...ENVIRONMENTS,
  auditLog,
  bodies,
  files,
  statementBundles,
  logSection,
];
