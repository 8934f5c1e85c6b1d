import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commitment } from '#shared/base/digests.ts';
import {
  CHAIN_VERSION,
  type ChainDomain,
  type ChainHeader,
  canonicalJson,
  FIRST_PREVIOUS,
  linkHash,
} from '#shared/base/proofs/hash-chain.ts';

interface Vectors {
  version: number;
  canonical: { value: unknown; text: string }[];
  commitments: { salt: string; text: string; commitment: string }[];
  chains: {
    domain: ChainDomain;
    links: { header: ChainHeader; canonical: string; previous: string; hash: string }[];
  }[];
}

const vectors = JSON.parse(readFileSync(new URL('hash-chain.vectors.json', import.meta.url), 'utf8')) as Vectors;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

describe('the committed test vectors', () => {
  test('have the present chain version', () => {
    expect(vectors.version).toBe(CHAIN_VERSION);
    expect(vectors.chains.map(({ domain }) => domain)).toEqual([
      'delivery-evidence/trail',
      'delivery-evidence/environment',
    ]);
  });

  test.each(vectors.canonical)('give the canonical text $text', ({ value, text }) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test.each(vectors.commitments)('give the commitment to $text', ({ salt, text, commitment: expected }) => {
    expect(hex(commitment(bytes(salt), text))).toBe(expected);
    expect(createHmac('sha256', bytes(salt)).update(Buffer.from(text, 'utf8')).digest('hex')).toBe(expected);
  });

  test.each(vectors.chains)('give every link of $domain, from 32 zero bytes on', ({ domain, links }) => {
    let previous = '00'.repeat(32);
    for (const link of links) {
      expect(link.previous).toBe(previous);
      expect(hex(linkHash(domain, bytes(previous), link.header))).toBe(link.hash);
      previous = link.hash;
    }
    expect(links.length).toBeGreaterThan(1);
  });

  test.each(vectors.chains)('can be recomputed for $domain from their texts alone', ({ domain, links }) => {
    for (const { canonical, header, previous, hash } of links) {
      const covered = Buffer.concat([
        Buffer.from(domain, 'utf8'),
        Buffer.from([0x00, 0x02]),
        Buffer.from(previous, 'hex'),
        Buffer.from(canonical, 'utf8'),
      ]);
      expect(createHash('sha256').update(covered).digest('hex')).toBe(hash);
      expect(JSON.parse(canonical)).toEqual(header);
    }
  });
});

describe('a link', () => {
  const header: ChainHeader = {
    org: 'org',
    subject: { flow: 'flow', trail: 'trail' },
    number: 1,
    kind: 'trail_reported',
    at: 1_800_000_000_000_000,
    record: 'record',
    commitments: { moment: 'aa' },
  };
  const link = linkHash('delivery-evidence/trail', FIRST_PREVIOUS, header);

  const others: [string, ChainDomain, Uint8Array, ChainHeader][] = [
    ['domain', 'delivery-evidence/environment', FIRST_PREVIOUS, header],
    ['previous hash', 'delivery-evidence/trail', new Uint8Array(32).fill(1), header],
    ...Object.entries({
      org: 'other',
      number: 2,
      kind: 'trail_updated',
      at: header.at + 1,
      record: 'other',
      subject: { flow: 'flow', trail: 'other' },
      commitments: { moment: 'ab' },
    }).map(
      ([name, value]) =>
        [name, 'delivery-evidence/trail', FIRST_PREVIOUS, { ...header, [name]: value }] as [
          string,
          ChainDomain,
          Uint8Array,
          ChainHeader,
        ],
    ),
  ];
  test.each(others)('has another hash if its %s changes', (_, domain, previous, changed) => {
    expect(hex(linkHash(domain, previous, changed))).not.toBe(hex(link));
  });

  test('a link without a record differs from one with it', () => {
    const { record: _, ...without } = header;
    expect(hex(linkHash('delivery-evidence/trail', FIRST_PREVIOUS, without))).not.toBe(hex(link));
  });
});

describe('canonical JSON (RFC 8785)', () => {
  test('sorts members by UTF-16 code units, as the example of section 3.2.3 does', () => {
    const value = {
      '€': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '😀': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      ö: 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
    const order = [...canonicalJson(value).matchAll(/:"([^"]*)"/g)].map(([, name]) => name);
    expect(order).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test('leaves out undefined members and refuses values that JSON does not have', () => {
    expect(canonicalJson({ b: undefined, a: null })).toBe('{"a":null}');
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => canonicalJson({ number })).toThrow('not allowed');
    }
    expect(() => canonicalJson(undefined)).toThrow('no JSON form');
  });

  test('does not depend on the order of members, and parses back to the same value', async () => {
    await fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

/** Returns the same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
