import { describe, expect, test } from 'vitest';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { openCheckpoint, parsePolicy, policyOf, satisfied } from '#shared/tlog/policy.ts';
import { logSigner, signNote, witnessSigner } from '#shared/tlog/signer.ts';
import { rootOf } from '#shared/tlog/tree.ts';
import { log, logKey, rangeOf, SECONDS } from './sample-log.ts';

const keyOf = (fill: number) => localKey(privateKeyOf(Buffer.alloc(32, fill)));
const witnesses = [1, 2, 3].map((n) => witnessSigner(`w${n}.example`, keyOf(n), () => SECONDS));
const [w1, w2, w3] = witnesses.map(({ verifierKey }) => verifierKey);
const DEFINED = `log ${log.verifierKey}\nwitness w1 ${w1}\nwitness w2 ${w2} https://w2.example/\nwitness w3 ${w3}\n`;
const TEXT = formatCheckpoint({ origin: log.name, size: 5, root: rootOf(rangeOf(5)) });

describe('a policy', () => {
  test('is read with comments, blank lines, tabs and addresses', () => {
    const policy = parsePolicy(
      `# ours\n\n  log\t${log.verifierKey}  https://log.example/a # the log\n${DEFINED}quorum none\n`,
    );
    expect(policy.logs).toEqual([{ key: logKey, url: 'https://log.example/a' }, { key: logKey }]);
    expect([...policy.witnesses].map(([name, { key, url }]) => [name, key.name, url])).toEqual([
      ['w1', 'w1.example', undefined],
      ['w2', 'w2.example', 'https://w2.example/'],
      ['w3', 'w3.example', undefined],
    ]);
    expect(policy.quorum).toBeUndefined();
  });

  test.each([
    ['quorum none', [], true],
    ['quorum w1', [], false],
    ['quorum w1', [1], false],
    ['quorum w1', [0], true],
    ['group g any w1 w2\nquorum g', [2], false],
    ['group g any w1 w2\nquorum g', [1], true],
    ['group g all w1 w2\nquorum g', [1], false],
    ['group g all w1 w2\nquorum g', [0, 1], true],
    ['group g 2 w1 w2 w3\nquorum g', [2], false],
    ['group g 2 w1 w2 w3\nquorum g', [2, 0], true],
    ['group a all w1 w2\ngroup g any a w3\nquorum g', [0], false],
    ['group a all w1 w2\ngroup g any a w3\nquorum g', [2], true],
    ['group a all w1 w2\ngroup g any a w3\nquorum g', [0, 1], true],
  ])('a policy with the lines %j and cosignatures of %j is met: %s', async (lines, signers, isMet) => {
    const policy = parsePolicy(`${DEFINED}${lines}\n`);
    const note = await signNote(TEXT, [log, ...witnesses.filter((_, i) => signers.includes(i))]);
    expect(satisfied(policy, note)).toBe(isMet);
    const opening = () => openCheckpoint(formatNote(note), policy);
    if (isMet) expect(opening()).toMatchObject({ origin: log.name, size: 5 });
    else expect(opening).toThrow(expect.objectContaining({ fault: 'quorum' }));
  });

  test.each([
    ['', 'The policy has no quorum. Without witnesses, write: quorum none'],
    ['quorum none\nquorum none', 'Line 6 of the policy: There is a second quorum.'],
    ['quorum', "Line 5 of the policy: '' is not a witness or group of an earlier line."],
    ['quorum w1 w2', 'Line 5 of the policy: A quorum has one name.'],
    ['quorum w4', "Line 5 of the policy: 'w4' is not a witness or group of an earlier line."],
    ['quorum g\ngroup g any w1', "Line 5 of the policy: 'g' is not a witness or group"],
    ['Quorum none', "Line 5 of the policy: 'Quorum' is not log, witness, group or quorum."],
    ['\nwitness', 'Line 6 of the policy: Write a verifier key and at most one address.'],
    ['witness w4', 'Line 5 of the policy: Write a verifier key'],
    [`witness w4 ${w1}`, "Line 5 of the policy: Another witness has the same key as 'w4'."],
    ['witness w4 key', "Line 5 of the policy: The verifier key 'key' does not have the form name+id+base64."],
    [`witness w4 ${log.verifierKey}`, 'is not of the type cosignature.'],
    [`log ${w1}`, 'is not of the type ed25519.'],
    [`log ${log.verifierKey} https://a.example b`, 'Write a verifier key and at most one address.'],
    [`log ${log.verifierKey} nowhere`, "'nowhere' is not an address."],
    ['group w1 any w2', "Line 5 of the policy: The name 'w1' is defined twice."],
    ['group none any w2', "Line 5 of the policy: 'none' is not a name."],
    ['group log any w2', "Line 5 of the policy: 'log' is not a name."],
    [
      `log ${log.verifierKey} https://a.example/#b`,
      "Line 5 of the policy: The word 'https://a.example/#b' has white space or a #",
    ],
    ['group g\u00a0any w2', "Line 5 of the policy: The word 'g\u00a0any' has white space"],
    ['group g any w1 w1', "The group 'g' has a member twice."],
    ['group g any g', "'g' is not a witness or group of an earlier line."],
    ['group g any', "The threshold 'any' of the group 'g' is not any, all or a number from 1 to 0."],
    ['group g 0 w1', "The threshold '0' of the group 'g'"],
    ['group g 2 w1', "The threshold '2' of the group 'g'"],
    ['group g 1.5 w1 w2', "The threshold '1.5' of the group 'g'"],
    ['group g', "The threshold '' of the group 'g'"],
    ['quorum none\r', 'The policy has the control character "\\r".'],
  ])('a policy with the line %j is refused', (line, sentence) => {
    expect(() => parsePolicy(`${DEFINED}${line}`)).toThrow(sentence);
  });
});

describe('a signed checkpoint', () => {
  test.each([
    ['the log did not sign it', [witnesses[0]], 'signature'],
    ['another log signed it', [logSigner('other.example', keyOf(4))], 'signature'],
    ['another key of the same name signed it', [logSigner(log.name, keyOf(4))], 'signature'],
  ])('is refused if %s', async (_, signers, fault) => {
    const note = await signNote(
      TEXT,
      signers.flatMap((one) => one ?? []),
    );
    expect(() => openCheckpoint(formatNote(note), policyOf(logKey))).toThrow(expect.objectContaining({ fault }));
  });

  test('is refused if the policy does not name its log', async () => {
    const foreign = await signNote(TEXT.replace(log.name, 'other.example'), [log]);
    expect(() => openCheckpoint(formatNote(foreign), policyOf(logKey))).toThrow(
      "No key is given for the log 'other.example'.",
    );
  });

  test('is refused if a known witness has a wrong cosignature, even without a quorum', async () => {
    const note = await signNote(TEXT, [log, ...witnesses]);
    const wrong = note.signatures.map((line, i) => (i === 2 ? { ...line, signature: Buffer.alloc(72) } : line));
    const policy = parsePolicy(`${DEFINED}quorum none`);
    expect(() => openCheckpoint(formatNote({ text: TEXT, signatures: wrong }), policy)).toThrow(
      'The signature of w2.example',
    );
  });

  test('is accepted with either key while one key of the log replaces another', async () => {
    const next = logSigner(log.name, keyOf(4));
    const policy = parsePolicy(`log ${log.verifierKey}\nlog ${next.verifierKey}\nquorum none\n`);
    for (const signers of [[log], [next], [log, next]]) {
      expect(openCheckpoint(formatNote(await signNote(TEXT, signers)), policy).signatures).toHaveLength(signers.length);
    }
  });
});
