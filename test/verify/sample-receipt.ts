import { commitment } from '#shared/base/digests.ts';
import { entryHash, FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { formatProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { decodeTile, tilePath } from '#shared/tlog/tiles.ts';
import { testId } from '#test/support/ids.ts';
import { sampleExport } from './sample-export.ts';
import { type Files, logFiles, ORIGIN } from './sample-log.ts';

export const SALT = Buffer.alloc(32, 7);

/** Entry 1 is made here: its texts hold names. */
const INDEX = 1;
const moment = JSON.stringify({ word: 'COMPLIANT', names: { flow: 'web', trail: 'release-1' } });

/** Makes the receipt of a moment whose facts are marked as erased, as text and as JSON. */
export async function sampleReceipt() {
  const { entries } = await sampleExport();
  const header = {
    org: ORIGIN.split('.')[0] ?? '',
    subject: { flow: testId('web'), trail: testId('run') },
    number: 2,
    kind: 'trail_attestation_reported',
    at: 1_795_000_000_000_000,
    commitments: {
      moment: commitment(SALT, moment).toString('hex'),
      facts: commitment(SALT, 'a text').toString('hex'),
    },
  };
  const extra = linkEntry('delivery-evidence/trail', FIRST_PREVIOUS, header);
  entries[INDEX] = extra;
  const log: Files = await logFiles(entries);
  const size = entries.length;
  const readTile = async (tile: { level: number; index: number; width: number }) =>
    decodeTile(log.get(`tile/${tilePath(tile)}`) ?? Buffer.alloc(0));
  const hashes = await inclusionProof(INDEX, { size, readTile });
  const checkpoint = log.get('checkpoint')?.toString() ?? '';
  const text = formatProofFile({ index: INDEX, hashes, extra, checkpoint });
  const json = {
    proof: text,
    index: INDEX,
    size,
    hash: entryHash(extra).toString('hex'),
    header,
    openings: [
      { name: 'moment', salt: SALT.toString('hex'), text: moment },
      { name: 'facts', salt: null, text: null },
    ],
  };
  return { text, json, checkpoint };
}
