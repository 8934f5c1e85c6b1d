import { beforeAll, describe, expect, it } from 'vitest';
import { verifyReceipt } from '#shared/log/rules/verify/receipt.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { Fault } from '#verify/fault.ts';
import { logKey } from './sample-log.ts';
import { SALT, sampleReceipt } from './sample-receipt.ts';

let text: string;
let json: Record<string, unknown>;
beforeAll(async () => {
  ({ text, json } = await sampleReceipt());
});

const outcomeOf = (receipt: string, key = logKey) => verifyReceipt('receipt', Buffer.from(receipt), policyOf(key));
const verified = (receipt: string) => outcomeOf(receipt).counts;
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

  it('is verified as JSON: names and texts are printed, and a text that is marked as erased is an exception', () => {
    const { counts, exceptions } = outcomeOf(JSON.stringify(json));
    expect(counts).toMatchObject({
      flow: 'web',
      trail: 'release-1',
      "text 'moment'": 'as the entry commits to',
      "text 'facts'": 'marked as erased',
    });
    expect(exceptions).toEqual(['texts that are marked as erased: facts']);
  });

  it('has no exception if all texts are there', () => {
    const facts = { name: 'facts', salt: SALT.toString('hex'), text: 'a text' };
    const [first] = json['openings'] as object[];
    expect(outcomeOf(changed({ openings: [first, facts] })).exceptions).toEqual([]);
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
    [
      'whose JSON is nested too deep',
      () => JSON.stringify(json).replace('"header":{', `"header":{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},`),
      'the receipt begins as JSON',
    ],
    ['whose JSON is cut off', () => JSON.stringify(json).slice(0, -1), 'the receipt begins as JSON'],
    ['whose JSON has no proof', () => changed({ proof: undefined }), 'the receipt is no JSON of a receipt'],
    ['that states another index', () => changed({ index: 2 }), 'index is 2; the proof gives 1'],
    ['that states another size', () => changed({ size: 2 }), 'size is 2; the proof gives 266'],
    ['that states another hash', () => changed({ hash: 'ab' }), 'hash is "ab"'],
    ['that states another header', () => changed({ header: {} }), 'header is {}'],
    [
      'without a text that no erasure removes',
      () =>
        JSON.stringify(json).replace(
          /"name":"moment","salt":"[^"]+","text":"(?:[^"\\]|\\.)+"/,
          '"name":"moment","salt":null,"text":null',
        ),
      "the text under 'moment' is marked as erased, and no erasure removes this text",
    ],
    ['that lacks an opening', () => changed({ openings: [] }), 'names of openings is []'],
    [
      'with another text',
      () => JSON.stringify(json).replace('\\\\\\"word', 'x').replace('COMPLIANT', 'INCOMPLETE'),
      "the text under 'moment' is not the text that the entry commits to",
    ],
  ])('a receipt %s is refused', (_, made, fault) => {
    expect(faultOf(made())).toContain(fault);
  });
});
