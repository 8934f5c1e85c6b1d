import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '#shared/base/errors.ts';
import { cosignatureOf } from '#shared/log/rules/cosignature.ts';
import { admitCheckpoint, continuesTree, keysOf, NO_TREE } from '#shared/log/rules/witness.ts';
import { parseWitnessedLogs, parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { type Checkpoint, formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { formatNote, formatSignatures } from '#shared/tlog/notes.ts';
import { consistencyProof } from '#shared/tlog/proofs.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { EMPTY_ROOT, rootOf } from '#shared/tlog/tree.ts';
import { formatAddCheckpoint } from '#shared/tlog/witness-request.ts';
import { LOG_KEY } from '#test/support/log/log-entries.ts';
import { checkpointOf, log, logKey, rangeOf, treeOf, witness, witnessKey } from '../../tlog/sample-log.ts';

const proofOf = (oldSize: number, size: number) => consistencyProof(oldSize, treeOf(size));
const requestOf = async (oldSize: number, size: number) =>
  formatAddCheckpoint({ oldSize, proof: await proofOf(oldSize, size), note: await checkpointOf(size) });
const treeAt = (size: number) => ({ size, root: rootOf(rangeOf(size)) });

describe('a request to the witness', () => {
  it('is admitted with the signatures of its log only', async () => {
    const { oldSize, proof, checkpoint, note } = admitCheckpoint(await requestOf(3, 8), [logKey]);
    expect([oldSize, checkpoint.size, checkpoint.origin]).toEqual([3, 8, log.name]);
    expect(proof).toEqual(await proofOf(3, 8));
    expect(note.signatures.map(({ name }) => name)).toEqual([log.name]);
  });

  const hash = EMPTY_ROOT.toString('base64');
  it.each<[string, (request: string) => string, ErrorKind]>([
    ['no empty line', (text) => text.replaceAll('\n\n', '\n'), 'invalid'],
    ['a first line of another form', (text) => text.replace('old 3', 'old size 3'), 'invalid'],
    ['a leading zero', (text) => text.replace('old 3', 'old 03'), 'invalid'],
    ['a negative size', (text) => text.replace('old 3', 'old -3'), 'invalid'],
    ['a carriage return', (text) => text.replace('old 3\n', 'old 3\r\n'), 'invalid'],
    ['a byte order mark', (text) => `\uFEFF${text}`, 'invalid'],
    ['a hash that is too short', (text) => text.replace('old 3\n', 'old 3\nAAAA\n'), 'invalid'],
    ['64 hashes', () => ['old 3', ...Array.from({ length: 64 }, () => hash), '', ''].join('\n'), 'invalid'],
    ['text that is no checkpoint', (text) => `${text.split('\n\n')[0]}\n\none line\n\n— a AAAAAAA=\n`, 'invalid'],
    ['a signature line of another form', (text) => text.replaceAll('— ', '- '), 'invalid'],
    ['no checkpoint', (text) => `${text.split('\n\n')[0]}\n\n`, 'invalid'],
    ['an old size above the new one', (text) => text.replace('old 3', 'old 9'), 'invalid'],
    ['no signature', (text) => text.slice(0, text.lastIndexOf('\n\n') + 2), 'refused'],
    ['a changed checkpoint', (text) => text.replace('\n8\n', '\n9\n'), 'refused'],
    ['another log', (text) => text.replace(`\n\n${log.name}`, '\n\nother.example'), 'not-found'],
  ])('a request to the witness with %s is refused', async (_, change, kind) => {
    const request = change(await requestOf(3, 8));
    expect(() => admitCheckpoint(request, [logKey])).toThrow(expect.objectContaining({ kind }));
  });

  it('that another key signed under the name of the log is refused', async () => {
    const text = formatCheckpoint({ origin: log.name, ...treeAt(8) });
    const note = formatNote(await signNote(text, [logSigner(log.name, LOG_KEY)]));
    const request = formatAddCheckpoint({ oldSize: 0, proof: [], note });
    expect(() => admitCheckpoint(request, [logKey])).toThrow(expect.objectContaining({ kind: 'refused' }));
  });
});

describe('keysOf', () => {
  const key = verifierKey('eu.log.example.com', 'ed25519', LOG_KEY.publicKey);
  it.each([
    ['eu.log.example.com', true],
    ['01a2-b3.eu.log.example.com', true],
    ['a.b.eu.log.example.com', false],
    ['.eu.log.example.com', false],
    ['Acme.eu.log.example.com', false],
    ['01a2eu.log.example.com', false],
    ['eu.log.example.com.evil.example', false],
    ['us.log.example.com', false],
  ])('knows %s: %s', (origin, isKnown) => {
    expect(keysOf(origin, [key])).toEqual(isKnown ? [verifierKey(origin, 'ed25519', LOG_KEY.publicKey)] : []);
  });
});

describe('a tree', () => {
  const admitted = async (oldSize: number, checkpoint: Omit<Checkpoint, 'origin'>, proof?: Buffer[]) => ({
    oldSize,
    proof: proof ?? (await proofOf(oldSize, checkpoint.size)),
    checkpoint: { origin: log.name, ...checkpoint },
    note: { text: '', signatures: [] },
  });

  it.each([
    [0, 0],
    [0, 5],
    [5, 5],
    [5, 8],
    [256, 601],
  ])('a tree of size %i is continued by size %i', async (size, next) => {
    const tree = size === 0 ? NO_TREE : treeAt(size);
    expect(continuesTree(tree, await admitted(size, treeAt(next)))).toBe(true);
  });

  it('is not continued by a request that begins at another size', async () => {
    expect(continuesTree(treeAt(5), await admitted(3, treeAt(8)))).toBe(false);
  });

  const other = { size: 5, root: EMPTY_ROOT };
  it.each<[string, number, Omit<Checkpoint, 'origin'>, Buffer[]]>([
    ['another root of the same size', 5, other, []],
    ['a missing proof', 5, treeAt(8), []],
    ['a proof from the empty tree', 0, treeAt(5), [EMPTY_ROOT]],
    ['a proof for the same size', 5, treeAt(5), [EMPTY_ROOT]],
  ])('refuses %s', async (_, size, next, proof) => {
    const request = await admitted(size, next, proof);
    const tree = size === 0 ? NO_TREE : treeAt(size);
    expect(() => continuesTree(tree, request)).toThrow(expect.objectContaining({ kind: 'inconsistent' }));
  });
});

describe('the answer of a witness', () => {
  const TEXT = formatCheckpoint({ origin: log.name, ...treeAt(8) });

  it('is read with the key of the policy', async () => {
    const signature = await witness.sign(TEXT);
    const lines = formatSignatures([await log.sign(TEXT), signature]);
    expect(cosignatureOf(Buffer.from(lines), TEXT, witnessKey)).toEqual(signature);
  });

  it.each<[string, () => Promise<string>]>([
    ['no text', async () => ''],
    ['no signature line', async () => 'ok\n'],
    ['the signature of another', async () => formatSignatures([await log.sign(TEXT)])],
    [
      'the cosignature of another checkpoint',
      async () => formatSignatures([await witness.sign(TEXT.replace('8', '9'))]),
    ],
  ])('is refused with %s', async (_, answer) => {
    expect(cosignatureOf(Buffer.from(await answer()), TEXT, witnessKey)).toBeUndefined();
  });
});

describe('the settings of witnesses', () => {
  const KEY = formatVerifierKey(witnessKey);

  it('are a policy and keys of logs', () => {
    const policy = parseWitnessPolicy(`witness us ${KEY} https://us.example.com/api/v2/witness\nquorum us\n`);
    expect([policy.quorum, [...policy.witnesses.keys()]]).toEqual(['us', ['us']]);
    expect(parseWitnessedLogs(` ${log.verifierKey}\n${log.verifierKey}`)).toEqual([logKey, logKey]);
    expect(parseWitnessedLogs('')).toEqual([]);
  });

  it.each([
    ['witness us key https://us.example.com\nquorum none', 'Line 1 of the policy'],
    [`witness us ${KEY} https://us.example.com\n`, 'no quorum'],
    [`witness us ${KEY}\nquorum us`, "The witness 'us' has no http address"],
    [`witness us ${KEY} ftp://us.example.com\nquorum us`, "The witness 'us' has no http address"],
    [`log ${log.verifierKey}\nquorum none`, 'names a log'],
    [`quorum none\n#${'x'.repeat(2_000)}`, 'more than 2000 characters'],
  ])('refuse the policy %j', (text, sentence) => {
    expect(() => parseWitnessPolicy(text)).toThrow(sentence);
  });

  it('refuse the key of a witness as the key of a log', () => {
    expect(() => parseWitnessedLogs(KEY)).toThrow('is the key of a witness and not of a log');
  });
});
