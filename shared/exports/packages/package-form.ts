import type { ArchiveForm } from '../make-step.ts';
import type { Section } from '../pages.ts';
import { BAGIT_TXT } from '../rules/bag-texts.ts';
import { scopeText } from '../rules/package-scope.ts';
import { packageInfo, packageReadme } from '../rules/package-texts.ts';
import { attachments, statements } from './file-sections.ts';
import type { PackageContext } from './package-plan.ts';
import { evaluations, moments, snapshots } from './record-sections.ts';

const introduction: Section<PackageContext> = {
  name: 'introduction',
  async *pages(context, place) {
    if (place !== null) return;
    const about = scopeText(context.scope);
    yield {
      lines: [],
      files: [
        { path: 'bagit.txt', bytes: Buffer.from(BAGIT_TXT) },
        { path: 'data/README.md', bytes: Buffer.from(packageReadme({ ...context, about })) },
        { path: 'data/verify.mjs', bytes: await context.verifier() },
        ...(await context.keyFiles()),
        { path: 'data/log/checkpoint', bytes: Buffer.from(context.log.checkpoint) },
      ],
      place: { key: 'introduction', range: 0, after: null },
    };
  },
};

/** The sections and the bag of a package (rules/exports.md#archive-of-a-package). */
export const PACKAGE_FORM: ArchiveForm<PackageContext> = {
  sections: [introduction, moments, snapshots, evaluations, attachments, statements],
  bagInfo: ({ scope, ...record }, counts) => packageInfo({ ...record, about: scope ? scopeText(scope) : '' }, counts),
};
