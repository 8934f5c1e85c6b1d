import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { formatVerifierKey, parseVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import {
  addSignatures,
  formatNote,
  formatSignatures,
  type NoteSignature,
  parseNote,
  parseSignatures,
  verifySignatures,
} from '#shared/tlog/notes.ts';
import { logSigner, signNote, witnessSigner } from '#shared/tlog/signer.ts';
import { EMPTY_ROOT } from '#shared/tlog/tree.ts';
import { checkpointOf, log, logKey, SECONDS, witness, witnessKey } from './sample-log.ts';

/** The example of the standard. */
const EXAMPLE_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const EXAMPLE_LINE =
  '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
const EXAMPLE = `This is an example message.\n\n${EXAMPLE_LINE}`;

const TEXT = formatCheckpoint({ origin: log.name, size: 0, root: EMPTY_ROOT });
const other = logSigner('other.example', localKey(privateKeyOf(Buffer.alloc(32, 9))));

describe('a verifier key', () => {
  test.each([EXAMPLE_KEY, log.verifierKey, witness.verifierKey])('%s is read and written', (text) => {
    expect(formatVerifierKey(parseVerifierKey(text))).toBe(text);
  });

  test.each([
    ['empty', '', 'does not have the form'],
    ['without a key', 'example.com/foo+530d903a', 'does not have the form'],
    ['with another id', EXAMPLE_KEY.replace('530d903a', '530d903b'), 'has the id 530d903b'],
    ['with the id of another name', EXAMPLE_KEY.replace('foo', 'bar'), 'has the id 530d903a'],
    ['with an id in capitals', EXAMPLE_KEY.replace('530d903a', '530D903A'), 'does not have the form'],
    ['with an id that is too long', EXAMPLE_KEY.replace('530d903a', '0530d903a'), 'does not have the form'],
    ['without a name', EXAMPLE_KEY.replace('example.com/foo', ''), 'is empty or has a space'],
    ['with a space in the name', EXAMPLE_KEY.replace('/', ' '), 'is empty or has a space'],
    ['with a rare space in the name', EXAMPLE_KEY.replace('/', '\u0085'), 'is empty or has a space'],
    ['of an unknown type', EXAMPLE_KEY.replace('+Aeky', '+Beky'), 'is neither'],
    ['that is too short', 'a+00000000+AQ==', 'does not have 32 bytes'],
    ['in the other alphabet of base64', log.verifierKey.replaceAll('/', '_'), 'does not have the form'],
    ['with a line feed', `${EXAMPLE_KEY}\n`, 'does not have the form'],
    ['with bits after the end', `${log.verifierKey.slice(0, -1)}5`, 'has the id'],
  ])('is refused if it is %s', (_, text, sentence) => {
    expect(() => parseVerifierKey(text)).toThrow(sentence);
  });

  test('does not take a key of another algorithm', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => localKey(privateKey)).toThrow('The key is of the type ec.');
  });

  test('is made of keys in PEM files', () => {
    const pem = privateKeyOf(Uint8Array.from({ length: 32 }, (_, i) => i)).export({ format: 'pem', type: 'pkcs8' });
    expect(logSigner(log.name, localKey(createPrivateKey(pem))).verifierKey).toBe(log.verifierKey);
  });
});

describe('a note', () => {
  test('a note of the standard is read, verified and written', () => {
    const note = parseNote(Buffer.from(EXAMPLE));
    const key = parseVerifierKey(EXAMPLE_KEY);
    expect(verifySignatures(note, [key])).toEqual([{ key }]);
    expect(formatNote(note)).toBe(EXAMPLE);
  });

  test('may have empty lines in its text', () => {
    const text = 'one\n\ntwo\n\n';
    expect(parseNote(`${text}\n${EXAMPLE_LINE}`).text).toBe(text);
  });

  test.each([
    ['empty', ''],
    ['without signatures', 'text\n'],
    ['without a signature after the empty line', 'text\n\n'],
    ['without a line feed at its end', EXAMPLE.slice(0, -1)],
    ['without an empty line', EXAMPLE.replace('\n\n', '\n')],
    ['with a carriage return', EXAMPLE.replace('message', 'message\r')],
    ['with carriage returns at the ends of lines', EXAMPLE.replaceAll('\n', '\r\n')],
    ['with a tab', EXAMPLE.replace('This', '\tThis')],
    ['with a zero byte', EXAMPLE.replace('This', '\0This')],
    ['with half of a surrogate pair', EXAMPLE.replace('This', '\ud800')],
    ['not in UTF-8', Buffer.concat([Buffer.from([0xff]), Buffer.from(EXAMPLE)])],
    ['with a repeated signature line', `${EXAMPLE}${EXAMPLE_LINE}`],
    ['with a hyphen for the dash', EXAMPLE.replace('—', '-')],
    ['with two spaces after the dash', EXAMPLE.replace('— ', '—  ')],
    ['with two spaces after the name', EXAMPLE.replace('foo ', 'foo  ')],
    ['with a plus sign in the name', EXAMPLE.replace('com/foo', 'com+foo')],
    ['without a name', EXAMPLE.replace('example.com/foo ', '')],
    ['with a space at the end of a line', EXAMPLE.replace('QM=', 'QM= ')],
    ['without the padding of base64', EXAMPLE.replace('QM=', 'QM')],
    ['with a wrong character in base64', EXAMPLE.replace('Uw2Q', 'Uw2_')],
    ['with bits after the end of base64', EXAMPLE.replace('aQM=', 'aQN=')],
    ['with a signature of 4 bytes', `text\n\n— name ${Buffer.alloc(4).toString('base64')}\n`],
    ['with a line that is no signature', `${EXAMPLE}more\n`],
    ['with more than 100 signatures', `text\n\n${manyLines(101)}`],
  ])('is refused if it is %s', (_, note) => {
    expect(() => parseNote(note)).toThrow(expect.objectContaining({ fault: 'malformed' }));
  });

  test('may have 100 signatures, of which unknown ones are ignored', () => {
    const note = parseNote(`This is an example message.\n\n${manyLines(99)}${EXAMPLE_LINE}`);
    const key = parseVerifierKey(EXAMPLE_KEY);
    expect(verifySignatures(note, [logKey, key])).toEqual([{ key }]);
    expect(verifySignatures(note, [logKey])).toEqual([]);
  });

  test('is refused if the signature of any known key is wrong', async () => {
    const note = await signNote(TEXT, [log, other]);
    const otherKey = parseVerifierKey(other.verifierKey);
    expect(verifySignatures(note, [logKey, otherKey])).toHaveLength(2);
    const changed = { text: TEXT.replace('0', '1'), signatures: note.signatures };
    const mixed = { text: TEXT, signatures: [...note.signatures.slice(0, 1), withByte(note.signatures[1])] };
    for (const wrong of [changed, mixed]) {
      expect(() => verifySignatures(wrong, [logKey, otherKey])).toThrow(
        expect.objectContaining({ fault: 'signature' }),
      );
    }
    expect(verifySignatures(mixed, [logKey])).toEqual([{ key: logKey }]);
  });

  test('is not verified by a key of another name', async () => {
    const { signatures } = await signNote(TEXT, [log]);
    const renamed = verifierKey('another.example', 'ed25519', logKey.publicKey);
    expect(verifySignatures({ text: TEXT, signatures }, [renamed])).toEqual([]);
  });

  test.each([63, 65, 1])('is refused if a known key has a signature of %i bytes', (length) => {
    const signatures = [{ name: logKey.name, keyId: logKey.id, signature: Buffer.alloc(length) }];
    expect(() => verifySignatures({ text: TEXT, signatures }, [logKey])).toThrow('The signature of acme.log.example');
  });

  test('keeps the last signature of each key', async () => {
    const old = await signNote(TEXT, [log, witness]);
    const later = await witnessSigner(witness.name, sampleWitness, () => SECONDS + 60).sign(TEXT);
    const { signatures } = addSignatures(old, parseSignatures(formatSignatures([later])));
    expect(signatures).toEqual([old.signatures[0], later]);
  });
});

describe('a cosignature', () => {
  test('a cosignature has its time', async () => {
    const note = parseNote(await checkpointOf(3));
    expect(verifySignatures(note, [witnessKey])).toEqual([{ key: witnessKey, seconds: SECONDS }]);
  });

  test.each([
    ['of another time', (signature: Buffer) => signature.fill(1, 7, 8)],
    ['of a time that no number holds', (signature: Buffer) => signature.fill(0xff, 0, 8)],
    ['that is cut off', (signature: Buffer) => signature.subarray(0, 71)],
    ['that is too long', (signature: Buffer) => Buffer.concat([signature, Buffer.alloc(1)])],
    ['without a time', (signature: Buffer) => signature.subarray(8)],
  ])('a cosignature %s is refused', async (_, change) => {
    const [line] = (await signNote(TEXT, [witness])).signatures;
    const signatures = [{ ...(line as NoteSignature), signature: change(Buffer.from(line?.signature ?? '')) }];
    expect(() => verifySignatures({ text: TEXT, signatures }, [witnessKey])).toThrow(
      'The signature of us.witness.example',
    );
  });

  test('is made for checkpoints only', async () => {
    await expect(witness.sign('text\n')).rejects.toThrow('The checkpoint does not have three lines');
  });
});

describe('a checkpoint', () => {
  const root = EMPTY_ROOT.toString('base64');

  test('is read and written, and extension lines are ignored', () => {
    const checkpoint = { origin: 'acme.log.example', size: Number.MAX_SAFE_INTEGER, root: EMPTY_ROOT };
    expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint);
    expect(parseCheckpoint(`${formatCheckpoint(checkpoint)}more\nand more\n`)).toEqual(checkpoint);
  });

  test.each([
    ['empty', ''],
    ['without a root', 'origin\n1\n'],
    ['without a line feed at its end', `origin\n1\n${root}`],
    ['without an origin', `\n1\n${root}\n`],
    ['without a size', `origin\n\n${root}\n`],
    ['of a size with a leading zero', `origin\n01\n${root}\n`],
    ['of a size with a sign', `origin\n+1\n${root}\n`],
    ['of a negative size', `origin\n-1\n${root}\n`],
    ['of a size with a space', `origin\n 1\n${root}\n`],
    ['of a size in another notation', `origin\n1e3\n${root}\n`],
    ['of a size above 2^53 - 1', `origin\n9007199254740992\n${root}\n`],
    ['of a root that is too short', `origin\n1\n${Buffer.alloc(31).toString('base64')}\n`],
    ['of a root without padding', `origin\n1\n${root.slice(0, -1)}\n`],
    ['of a root in hex', `origin\n1\n${EMPTY_ROOT.toString('hex')}\n`],
    ['with an empty extension line', `origin\n1\n${root}\n\n`],
  ])('is refused if it is %s', (_, text) => {
    expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ fault: 'malformed' }));
  });
});

const sampleWitness = localKey(privateKeyOf(Uint8Array.from({ length: 32 }, (_, i) => 0x20 + i)));

function withByte(line: NoteSignature | undefined): NoteSignature {
  if (!line) throw new Error('There is no such signature.');
  return { ...line, signature: Buffer.from(line.signature).fill(0, 0, 1) };
}

function manyLines(count: number): string {
  return formatSignatures(
    Array.from({ length: count }, (_, i) => ({ name: `signer-${i}`, keyId: '00000000', signature: Buffer.alloc(64) })),
  );
}
