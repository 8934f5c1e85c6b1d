import { describe, expect, test } from 'vitest';
import { policyOf } from '#shared/tlog/policy.ts';
import { formatProofFile, type ProofFile, parseProofFile, verifyProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { checkpointOf, leaves, log, logKey, treeOf } from './sample-log.ts';

const policy = policyOf(logKey);
const leaf = leaves[3] ?? Buffer.alloc(0);
const file: ProofFile = { index: 3, hashes: await inclusionProof(3, treeOf(5)), checkpoint: await checkpointOf(5) };
const smaller = await checkpointOf(4);
const text = formatProofFile(file);

describe('a proof file', () => {
  test('is read and written, with and without extra data', () => {
    expect(parseProofFile(Buffer.from(text))).toEqual(file);
    const more = { ...file, extra: Buffer.from([1, 2, 255]) };
    expect(formatProofFile(more)).toBe(text.replace('index', 'extra AQL/\nindex'));
    expect(parseProofFile(formatProofFile(more))).toEqual(more);
    expect(verifyProofFile(more, leaf, policy)).toMatchObject({ origin: log.name, size: 5 });
  });

  test.each([
    ['for another index', { ...file, index: 2 }, leaf],
    ['for another leaf', file, leaves[2] ?? Buffer.alloc(0)],
    ['with a hash less', { ...file, hashes: file.hashes.slice(1) }, leaf],
    ['with an index behind the log', { ...file, index: 5 }, leaf],
    ['with the checkpoint of another size', { ...file, checkpoint: smaller }, leaf],
  ])('is refused %s', (_, wrong, of) => {
    expect(() => verifyProofFile(wrong, of, policy)).toThrow(expect.objectContaining({ fault: 'proof' }));
  });

  test('is refused if its checkpoint is', () => {
    const wrong = { ...file, checkpoint: file.checkpoint.replace('\n5\n', '\n6\n') };
    expect(() => verifyProofFile(wrong, leaf, policy)).toThrow(expect.objectContaining({ fault: 'signature' }));
  });

  test.each([
    ['empty', ''],
    ['without a checkpoint', text.slice(0, text.indexOf('\n\n'))],
    ['of another version', text.replace('@v1', '@v2')],
    ['with a space after the header', text.replace('@v1', '@v1 ')],
    ['without an index', text.replace('index 3\n', '')],
    ['with two indexes', text.replace('index 3\n', 'index 3\nindex 3\n')],
    ['with an index with a leading zero', text.replace('index 3', 'index 03')],
    ['with a negative index', text.replace('index 3', 'index -3')],
    ['with extra data that is not base64', text.replace('index', 'extra ***\nindex')],
    ['with extra data twice', text.replace('index', 'extra AQ==\nextra AQ==\nindex')],
    ['with extra data after the index', text.replace('index 3\n', 'index 3\nextra AQ==\n')],
    ['with a hash that is too short', text.replace('index 3\n', 'index 3\nAQ==\n')],
    ['with 64 hashes', formatProofFile({ ...file, hashes: Array(64).fill(leaf) })],
    ['without a line feed at its end', text.slice(0, -1)],
    ['with carriage returns', text.replaceAll('\n', '\r\n')],
  ])('is refused if it is %s', (_, wrong) => {
    expect(() => parseProofFile(wrong)).toThrow(expect.objectContaining({ fault: 'malformed' }));
  });
});
