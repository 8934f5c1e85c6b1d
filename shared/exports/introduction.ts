import type { Section } from './pages.ts';
import { BAGIT_TXT, readmeText } from './rules/bag-texts.ts';

/** The first files of the archive: the declaration of the bag, the description for readers, the verifier, and keys. */
export const introduction: Section = {
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
