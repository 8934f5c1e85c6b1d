import { storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { statementKey } from '#shared/log/records/keys.ts';
import { ENVELOPES } from '../archive.ts';
import type { ExportedFile } from '../context.ts';
import type { Section } from '../pages.ts';
import { bundlesOf } from '../statement-section.ts';
import type { PackageContext } from './package-plan.ts';

/** Attachments that are read at the same time. One has at most 10 MB. */
const FILES_AT_ONCE = 4;

/** The attachments of a package, under their SHA-256. */
export const attachments: Section<PackageContext> = {
  name: 'files',
  async *pages({ org, files, plan }, place) {
    for (let start = place?.range ?? 0; start < plan.files.length; start += FILES_AT_ONCE) {
      const some = plan.files.slice(start, start + FILES_AT_ONCE);
      const read = await inParallel(some, FILES_AT_ONCE, async (digest): Promise<ExportedFile[]> => {
        const bytes = await files.read('evidence', org, digest);
        // Null: erased since the plan was made. The erasure removes the package, too.
        return bytes === null ? [] : [{ path: `data/files/${digest}`, bytes }];
      });
      yield { lines: [], files: read.flat(), place: { key: 'files', range: start + FILES_AT_ONCE, after: null } };
    }
  },
};

/** The statements of a package with their proofs, in one page: there are few. */
export const statements: Section<PackageContext> = {
  name: 'statements',
  async *pages(context, place) {
    if (place !== null) return;
    const keys = context.plan.statements.map(({ id }) => statementKey(context.org, storedId(id)));
    const bundles = await bundlesOf(context, [...(await context.table.getMany(keys)).values()]);
    yield {
      lines: [],
      files: bundles.map(({ id, bundle }) => ({
        path: `data/statements/${id}.sigstore.json`,
        bytes: Buffer.from(JSON.stringify(bundle)),
      })),
      texts: bundles.map(({ bundle }) => ({ file: ENVELOPES, text: `${canonicalJson(bundle.dsseEnvelope)}\n` })),
      place: { key: 'statements', range: 1, after: null },
    };
  },
};
