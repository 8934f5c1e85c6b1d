import { ADMINISTRATION, auditLog } from './families/administration.ts';
import { ENVIRONMENTS, EXPANSIONS } from './families/environments.ts';
import { EVIDENCE } from './families/evidence.ts';
import { logSection } from './log-section.ts';
import { bodies, files } from './object-sections.ts';
import type { Section } from './pages.ts';
import { BAGIT_TXT, readmeText } from './rules/bag-texts.ts';
import { statementBundles } from './statement-section.ts';

/** The first files of the archive: the declaration of the bag, the description for readers, the verifier, and keys. */
const introduction: Section = {
  name: 'introduction',
  async *pages(context, place) {
    if (place !== null) return;
    yield {
      lines: [],
      files: [
        { path: 'bagit.txt', bytes: Buffer.from(BAGIT_TXT) },
        { path: 'data/README.md', bytes: Buffer.from(readmeText(context)) },
        { path: 'data/verify.mjs', bytes: await context.verifier() },
        ...(await context.keyFiles()),
      ],
      place: { key: 'introduction', range: 0, after: null },
    };
  },
};

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
