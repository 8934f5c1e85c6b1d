import { inParallel } from '#shared/base/parallel.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { StatementItem, statementPartitions } from '#shared/log/records/statements.ts';
import { bundleOf, type SigstoreBundle, statementEntry } from '#shared/log/rules/sigstore-bundle.ts';
import { logTiles } from '#shared/log/tiles.ts';
import type { Item } from '#shared/table/table.ts';
import { inclusionProof, type ReadTile } from '#shared/tlog/proofs.ts';
import { tilePath } from '#shared/tlog/tiles.ts';
import { ENVELOPES } from './archive.ts';
import type { ArchiveContext } from './context.ts';
import type { Section } from './pages.ts';

/** Statements of one page. A statement about a large snapshot has some hundred kilobytes. */
const STATEMENTS_AT_ONCE = 20;
const READ_AT_ONCE = 4;

/** Statements with their proofs in the log of the checkpoint (rules/exports.md#statements-of-an-export). */
export const statementBundles: Section = {
  name: 'statement-bundles',
  async *pages(context, place) {
    const { org, table } = context;
    const partitions = statementPartitions(org);
    for (const [range, pk] of partitions.entries()) {
      if (range < (place?.range ?? 0)) continue;
      let after = range === place?.range ? place.after : null;
      for (;;) {
        const items = await table.query({
          pk,
          ...(after !== null && { from: `${after}\0` }),
          limit: STATEMENTS_AT_ONCE,
        });
        const last = items.at(-1);
        if (!last) break;
        const bundles = await bundlesOf(context, items);
        after = last.sk;
        yield {
          lines: [],
          files: bundles.map(({ id, bundle }) => ({
            path: `data/statements/${id}.sigstore.json`,
            bytes: Buffer.from(JSON.stringify(bundle)),
          })),
          texts: bundles.map(({ bundle }) => ({ file: ENVELOPES, text: `${canonicalJson(bundle.dsseEnvelope)}\n` })),
          place: { key: 'statements', range, after },
        };
        if (items.length < STATEMENTS_AT_ONCE) break;
      }
    }
  },
};

/** Makes the bundles of the statements that the checkpoint covers and that are not erased. */
export async function bundlesOf(
  context: ArchiveContext,
  items: readonly Item[],
): Promise<{ id: string; bundle: SigstoreBundle }[]> {
  const { org, objects } = context;
  const { origin, size, root, checkpoint } = context.log;
  const statements = items.map((item) => StatementItem.parse(item));
  const [indexes, log] = await Promise.all([
    context.logIndexes(
      statements.map(({ digest }) => ({ kind: 'statement', digest: Buffer.from(digest).toString('hex') })),
    ),
    context.logKey(origin),
  ]);
  const readTile = rememberingTiles(logTiles(context, org, size).hashes);
  const found = await inParallel([...statements.entries()], READ_AT_ONCE, async ([i, statement]) => {
    const index = indexes[i];
    if (index == null) return [];
    const text = await readBody(objects, org, statement.payload);
    if (text === null) return [];
    const hashes = await inclusionProof(index, { size, readTile });
    const proof = { log, index, size, root: Buffer.from(root, 'hex'), hashes, checkpoint };
    const signed = { ...statement, payload: Buffer.from(text) };
    return [{ id: statement.sk, bundle: bundleOf(signed, statementEntry(statement), proof) }];
  });
  return found.flat();
}

/** Reads each tile once. The proofs of a page share most of their tiles. */
export function rememberingTiles(readTile: ReadTile): ReadTile {
  const tiles = new Map<string, ReturnType<ReadTile>>();
  return (tile) => {
    const path = tilePath(tile);
    const known = tiles.get(path) ?? readTile(tile);
    tiles.set(path, known);
    return known;
  };
}
