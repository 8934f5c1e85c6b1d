import { beforeAll, describe, expect, it } from 'vitest';
import { policyOf } from '#shared/tlog/policy.ts';
import { formatProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { decodeTile, tilePath } from '#shared/tlog/tiles.ts';
import { Fault } from '#verify/fault.ts';
import { verifyReceipt } from '#verify/receipt.ts';
import { type Files, logFiles, logKey, sampleExport } from './sample-export.ts';

let text: string;
let json: Record<string, unknown>;
/** Entry 1 is the second moment of the trail of the sample. */
const INDEX = 1;

beforeAll(async () => {
  const { files, entries } = await sampleExport();
  const log: Files = await logFiles(entries);
  const size = entries.length;
  const readTile = async (tile: { level: number; index: number; width: number }) =>
    decodeTile(log.get(`tile/${tilePath(tile)}`) ?? Buffer.alloc(0));
  const extra = entries[INDEX] ?? Buffer.alloc(0);
  const hashes = await inclusionProof(INDEX, { size, readTile });
  text = formatProofFile({ index: INDEX, hashes, extra, checkpoint: log.get('checkpoint')?.toString() ?? '' });
  const lines = files.get('data/records/moments-0001.ndjson')?.toString().split('\n') ?? [];
  const moment = JSON.parse(lines[INDEX] ?? '') as { hash: string; salt: string; body: string };
  json = {
    proof: text,
    index: INDEX,
    size,
    hash: moment.hash,
    header: JSON.parse(extra.subarray(extra.indexOf('{')).toString()),
    openings: [
      { name: 'moment', salt: moment.salt, text: moment.body },
      { name: 'record', salt: null, text: null },
    ],
  };
});

const verified = (receipt: string, key = logKey) =>
  verifyReceipt('receipt', Buffer.from(receipt), policyOf(key)).counts;
const faultOf = (receipt: string): string => {
  try {
    verified(receipt);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  throw new Error('No fault was found');
};
const changed = (more: Record<string, unknown>): string => JSON.stringify({ ...json, ...more });

describe('a receipt', () => {
  it('is verified as text', () => {
    expect(verified(text)).toMatchObject({ entry: '1 of 266', subject: 'moment 2 of trail run of flow web' });
  });

  it('is verified as JSON, with the texts that were not erased', () => {
    expect(verified(JSON.stringify(json))).toMatchObject({ openings: 1, erased: 1 });
  });

  it.each<[string, () => string, string]>([
    ['for another index', () => text.replace('\nindex 1\n', '\nindex 2\n'), 'The proof does not show'],
    ['without its entry', () => text.replace(/\nextra [^\n]+/, ''), 'the receipt does not hold its entry'],
    [
      'with another entry',
      () => text.replace(/extra .{200}/, (line) => `${line.slice(0, -4)}AAAA`),
      'The proof does not show',
    ],
    ['that is cut off', () => text.slice(0, -20), 'has no line feed at its end'],
    ['whose checkpoint was changed', () => text.replace(/\n266\n/, '\n267\n'), 'is wrong'],
    ['whose JSON is cut off', () => JSON.stringify(json).slice(0, -1), 'the receipt begins as JSON'],
    ['whose JSON has no proof', () => changed({ proof: undefined }), 'the receipt is no JSON of a receipt'],
    ['that states another index', () => changed({ index: 2 }), 'index is 2; the proof gives 1'],
    ['that states another size', () => changed({ size: 2 }), 'size is 2; the proof gives 266'],
    ['that states another hash', () => changed({ hash: 'ab' }), 'hash is "ab"'],
    ['that states another header', () => changed({ header: {} }), 'header is {}'],
    ['that lacks an opening', () => changed({ openings: [] }), 'names of openings is []'],
    [
      'with another text',
      () => JSON.stringify(json).replace('\\\\\\"word', 'x').replace('COMPLIANT', 'INCOMPLETE'),
      "the text under 'moment' is not the text that the entry commits to",
    ],
  ])('%s is refused', (_, made, fault) => {
    expect(faultOf(made())).toContain(fault);
  });
});
