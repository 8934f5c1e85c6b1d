import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * The hash chain of a trail or an environment. Each link says
 * `hash = SHA-256(domain ‖ 0x00 ‖ version byte ‖ previous hash ‖ RFC 8785 JSON of the header)`.
 * Test vectors: test/shared/evidence/rules/hash-chain.vectors.json.
 */
export const CHAIN_VERSION = 1;
export const FIRST_PREVIOUS = new Uint8Array(32);

export type ChainDomain = 'delivery-evidence/trail' | 'delivery-evidence/environment';

/**
 * A header holds ids, numbers, the kind, whole microseconds, and commitments (hex): nothing that could have to be erased.
 */
export interface ChainHeader {
  org: string;
  /** What the chain belongs to: flow and trail ids, or the environment's. */
  subject: Record<string, string>;
  number: number;
  kind: string;
  at: number;
  record?: string;
  commitments: Record<string, string>;
}

export function linkHash(domain: ChainDomain, previous: Uint8Array, header: ChainHeader): Buffer {
  const parts = [
    Buffer.from(`${domain}\0`),
    Uint8Array.of(CHAIN_VERSION),
    previous,
    Buffer.from(canonicalJson(header)),
  ];
  return hash('sha256', Buffer.concat(parts), 'buffer');
}

/**
 * JSON in the canonical form of RFC 8785: members in order of their UTF-16 code units, no white space, numbers as
 * ECMAScript prints them. Members that are undefined are left out, as JSON.stringify does.
 * @throws Error for what has no such form: NaN, infinite numbers, halves of surrogate pairs, undefined
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('undefined has no JSON form');
  return text;
}
