import { gunzipSync } from 'node:zlib';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { isFileUse, readPending, usesOf } from '#shared/bodies/erasure.ts';
import type { StoredKind } from '#shared/bodies/export-files.ts';
import type { Table } from '#shared/table/table.ts';
import type { ExportedFile } from './context.ts';
import type { Section } from './pages.ts';

const LISTED_AT_ONCE = 100;
/** Objects that are read at the same time. An attachment has at most 10 MB. */
const READ_AT_ONCE = 4;

/** A section with all objects of a kind, under the names of their digests (rules/exports.md#bodies). */
const objectSection = (name: string, kind: StoredKind, unpack: (bytes: Buffer) => Buffer): Section => ({
  name,
  async *pages({ org, files, table }, place) {
    let after = place?.key ?? null;
    for (;;) {
      const digests = await files.list(kind, org, after, LISTED_AT_ONCE);
      const erased = await erasedDigests(table, org, kind);
      for (let start = 0; start < digests.length; start += READ_AT_ONCE) {
        const some = digests.slice(start, start + READ_AT_ONCE);
        const read = await inParallel(some, READ_AT_ONCE, async (digest): Promise<ExportedFile[]> => {
          if (erased.has(digest)) return [];
          const bytes = await files.read(kind, org, digest);
          // Null: erased since it was listed.
          return bytes === null ? [] : [{ path: `data/${name}/${digest}`, bytes: unpack(bytes) }];
        });
        after = some.at(-1) ?? after;
        if (after !== null) yield { lines: [], files: read.flat(), place: { key: after, range: 0, after: null } };
      }
      if (digests.length < LISTED_AT_ONCE) return;
    }
  },
});

/**
 * Reads which objects of a kind are erased although the bucket still has them: the erasure was interrupted, or Object Lock keeps
 * them. An object that a record uses again is not among them.
 */
async function erasedDigests(table: Table, org: OrganizationId, kind: StoredKind): Promise<Set<string>> {
  const noted = (await readPending(table, org)).filter(({ prefix }) => prefix === kind);
  const unused = await inParallel(noted, READ_AT_ONCE, async ({ sha256 }) => {
    const { users } = await usesOf(table, org, sha256);
    return users.some((user) => isFileUse(user) === (kind === 'evidence')) ? [] : [sha256];
  });
  return new Set(unused.flat());
}

/** Texts that are too long for the item of their record. */
export const bodies = objectSection('bodies', 'bodies', gunzipSync);
/** Attachments. */
export const files = objectSection('files', 'evidence', (bytes) => bytes);
