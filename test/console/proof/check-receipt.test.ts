import { beforeAll, describe, expect, it } from 'vitest';
import { type CheckedReceipt, checkReceipt, checkSentence } from '#console/proof/model/check-receipt.ts';
import type { Receipt } from '#console/proof/operations.ts';
import { verifyReceipt } from '#shared/log/rules/verify/receipt.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { log, logKey, otherLog, witness } from '#test/verify/sample-log.ts';
import { sampleReceipt } from '#test/verify/sample-receipt.ts';
import { Fault } from '#verify/fault.ts';

/** The browser computes with WebCrypto what the verifier computes with Node. Both have to agree. */

const { subtle } = globalThis.crypto;
let receipt: Receipt;
let checkpoint: string;
beforeAll(async () => {
  const { json, checkpoint: note } = await sampleReceipt();
  receipt = json;
  checkpoint = note;
});

const keysOf = (...keys: string[]) => keys.map((key) => ({ key, from_size: 0, to_size: null }));
const own = () => ({ verifier_keys: keysOf(log.verifierKey), policy: `log ${log.verifierKey}\nquorum none\n` });
const check = (changed: Partial<Receipt>, trust: Partial<Parameters<typeof checkReceipt>[1]> = {}, by = subtle) =>
  checkReceipt({ ...receipt, ...changed }, { log: own(), newest: checkpoint, ...trust }, by);
/** What the checks of the receipt itself say. The verifier does not read the newest checkpoint. */
const failed = ({ checks }: CheckedReceipt): string[] =>
  checks.filter(({ name, isRight }) => isRight === false && name !== 'newest checkpoint').map(({ name }) => name);

function isRefused(changed: Partial<Receipt>): boolean {
  try {
    verifyReceipt('receipt', Buffer.from(JSON.stringify({ ...receipt, ...changed })), policyOf(logKey));
    return false;
  } catch (error) {
    if (error instanceof Fault) return true;
    throw error;
  }
}

/** Replaces one character by another of the same kind. */
const changedAt = (text: string, at: number): string => {
  const other = new Map([
    ['A', 'B'],
    ['\n', 'n'],
  ]).get(text[at] ?? '');
  return `${text.slice(0, at)}${other ?? 'A'}${text.slice(at + 1)}`;
};

/** Changes the character behind the first place that fits. */
const changedBehind = (place: RegExp) => (text: string) => {
  const found = place.exec(text);
  return found ? changedAt(text, found.index + found[0].length) : text;
};

describe('a receipt in the browser', () => {
  it('is verified, and says which leaf of which size it is and which key signed', async () => {
    const checked = await check({});
    expect(failed(checked)).toEqual([]);
    expect(checkSentence(checked, checked.checks)).toBe(
      `The record shown is the one in the log: leaf 1 of 266, signed by the key ${logKey.id}.`,
    );
    expect(checked.checks.map(({ says }) => says).join(' ')).toContain('Erased, and so not compared: facts.');
  });

  it('agrees with the verifier about every character of the proof', async () => {
    const { proof } = receipt;
    const differing: number[] = [];
    for (let at = 0; at < proof.length; at += 1) {
      const changed = { proof: changedAt(proof, at) };
      const isWrong = failed(await check(changed)).length > 0;
      if (isWrong !== isRefused(changed) || !isWrong) differing.push(at);
    }
    expect(differing).toEqual([]);
  }, 120_000);

  it.each<[string, (proof: string) => string, string]>([
    ['the entry', changedBehind(/extra .{200}/), 'entry'],
    ['the proof', changedBehind(/index 1\n.{10}/), 'proof'],
    ['the root', changedBehind(/\n266\n.{10}/), 'signature'],
    ['the signature', changedBehind(/\n— \S+ .{20}/), 'signature'],
    ['the form', (text) => text.replace('tlog-proof@v1', 'tlog-proof@v2'), 'form'],
  ])('names what failed if one character of %s differs', async (_, change, name) => {
    const changed = change(receipt.proof);
    expect(changed).not.toBe(receipt.proof);
    const checked = await check({ proof: changed });
    expect(failed(checked)).toContain(name);
    expect(checkSentence(checked, checked.checks)).toMatch(new RegExp(`^The receipt does not verify.*${name}`));
  });

  it.each<[string, () => Partial<Receipt>, string]>([
    ['hash', () => ({ hash: 'ab' }), 'entry'],
    ['index', () => ({ index: 2 }), 'entry'],
    ['size', () => ({ size: 2 }), 'entry'],
    ['header', () => ({ header: { ...receipt.header, number: 3 } }), 'entry'],
    ['no texts', () => ({ openings: [] }), 'texts'],
    [
      'another text',
      () => ({ openings: receipt.openings.map((one) => ({ ...one, text: one.text && '{}' })) }),
      'texts',
    ],
    ['a text without salt', () => ({ openings: receipt.openings.map((one) => ({ ...one, salt: null })) }), 'texts'],
    [
      'no lasting text',
      () => ({ openings: receipt.openings.map((one) => ({ ...one, salt: null, text: null })) }),
      'texts',
    ],
  ])('is refused by browser and verifier if it states %s', async (_, make, name) => {
    expect(isRefused(make())).toBe(true);
    expect(failed(await check(make()))).toEqual([name]);
  });

  it('is refused if another key signed the checkpoint, or a key of the log is malformed', async () => {
    const other = { verifier_keys: keysOf(otherLog.verifierKey), policy: '' };
    expect(failed(await check({}, { log: other }))).toEqual(['signature']);
    const broken = { verifier_keys: keysOf(log.verifierKey.replace(/\+[0-9a-f]{8}\+/, '+00000000+')), policy: '' };
    expect(failed(await check({}, { log: broken }))).toEqual(['form']);
  });

  it('names the witnesses of the policy that cosigned, and refuses a wrong cosignature', async () => {
    const policy = `witness us ${witness.verifierKey} https://us.example\nquorum us\n`;
    const trust = { log: { ...own(), policy } };
    const { signature, name, keyId } = await witness.sign(checkpoint.slice(0, checkpoint.indexOf('\n\n') + 1));
    const line = (bytes: Buffer) =>
      `— ${name} ${Buffer.concat([Buffer.from(keyId, 'hex'), bytes]).toString('base64')}\n`;
    const good = await check({ proof: receipt.proof + line(signature) }, trust);
    expect(good.place?.witnesses).toEqual(['us.witness.example']);
    signature[30] = (signature[30] ?? 0) ^ 1;
    expect(failed(await check({ proof: receipt.proof + line(signature) }, trust))).toEqual(['signature']);
  });

  it('compares the newest checkpoint: of the same log, not smaller, not another root of the same size', async () => {
    const newestSays = async (newest: string) =>
      (await check({}, { newest })).checks.find(({ name }) => name === 'newest checkpoint');
    expect(await newestSays(checkpoint)).toMatchObject({ isRight: true });
    expect(await newestSays(checkpoint.replace(/^/, 'x'))).toMatchObject({ isRight: false });
    expect(await newestSays(checkpoint.replace('\n266\n', '\n265\n'))).toMatchObject({ isRight: false });
  });

  it('says that a browser without Ed25519 did not check the signature, and never that all is well', async () => {
    const importKey = async (...args: Parameters<typeof subtle.importKey>) => {
      if (args[2] === 'Ed25519') throw new DOMException('Unrecognized name.', 'NotSupportedError');
      return subtle.importKey(...args);
    };
    const old = { digest: subtle.digest.bind(subtle), sign: subtle.sign.bind(subtle), importKey };
    const checked = await check({}, {}, Object.assign(Object.create(subtle), old));
    expect(checked.checks.find(({ name }) => name === 'signature')?.isRight).toBe(null);
    expect(checkSentence(checked, checked.checks)).toBe('Not verified: this browser cannot compute every step.');
  });
});
