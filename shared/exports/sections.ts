import type { ExportContext } from './context.ts';
import { ADMINISTRATION, auditLog } from './families/administration.ts';
import { ENVIRONMENTS, EXPANSIONS } from './families/environments.ts';
import { EVIDENCE } from './families/evidence.ts';
import { introduction } from './introduction.ts';
import { logSection } from './log-section.ts';
import { bodies, files } from './object-sections.ts';
import { statementBundles } from './statement-section.ts';
import type { Page, Place } from './walk.ts';

/** A file of the archive. */
export interface ExportedFile {
  /** Below the folder of the archive. */
  path: string;
  bytes: Buffer;
}

/** What a page holds besides the lines of records. */
export interface PageExtras {
  files?: ExportedFile[];
  /** Texts that are collected to files as lines are. */
  texts?: { file: string; text: string }[];
}

/** A part of the archive that is made page by page. */
export interface Section {
  name: string;
  /** Makes the pages behind a place; null stands for the beginning. */
  pages(context: ExportContext, place: Place | null): AsyncGenerator<Page & PageExtras>;
}

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
