import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { wellFormed } from '#shared/base/well-formed.ts';

/**
 * The hash chain of a trail or an environment (rules/trails.md#hash-chain). Each link is
 * `hash = SHA-256(domain ‖ 0x00 ‖ version byte ‖ previous hash ‖ RFC 8785 JSON of the header)`.
 * Test vectors: test/shared/base/proofs/hash-chain.vectors.json.
 */
export const CHAIN_VERSION = 2;
export const FIRST_PREVIOUS = new Uint8Array(32);

/** What a link is about. The link of an audit entry or an evaluation has no predecessor (rules/log.md#entries). */
export const CHAIN_DOMAINS = [
  'delivery-evidence/trail',
  'delivery-evidence/environment',
  'delivery-evidence/audit',
  'delivery-evidence/evaluation',
] as const;
export type ChainDomain = (typeof CHAIN_DOMAINS)[number];

/** The header of a link (rules/trails.md#header). It holds nothing that may have to be erased: no text of a caller. */
export interface ChainHeader {
  org: string;
  /** Ids of the owner of the chain: flow and trail, or the environment. */
  subject: Record<string, string>;
  number: number;
  kind: string;
  /** Microseconds since the epoch. */
  at: number;
  record?: string;
  /** Commitments in hex, by name. */
  commitments: Record<string, string>;
}

/**
 * Returns the bytes whose SHA-256 is the hash of a link (rules/trails.md#link). The log of the organization has these
 * bytes as one entry (rules/log.md#entries).
 *
 * @param previous hash of the previous link; {@link FIRST_PREVIOUS} for the first
 */
export const linkEntry = (domain: ChainDomain, previous: Uint8Array, header: ChainHeader): Buffer =>
  Buffer.concat([
    Buffer.from(`${domain}\0`),
    Uint8Array.of(CHAIN_VERSION),
    previous,
    Buffer.from(canonicalJson(header)),
  ]);

/** Computes the hash of a link from its {@link linkEntry} (rules/trails.md#link). */
export const linkHash = (domain: ChainDomain, previous: Uint8Array, header: ChainHeader): Buffer =>
  entryHash(linkEntry(domain, previous, header));

/** Computes the hash of a link from its bytes. */
export const entryHash = (entry: Uint8Array): Buffer => hash('sha256', entry, 'buffer');

/**
 * Returns the canonical JSON of RFC 8785: members sorted by their UTF-16 code units, no white space, numbers as
 * ECMAScript prints them (rules/trails.md#canonical-json). Members that are undefined are left out, as JSON.stringify
 * does.
 *
 * Halves of surrogate pairs have no canonical form. They become the replacement character (rules/requests.md#well-formed-text).
 *
 * @throws Error for values without a canonical form: NaN, infinite numbers, undefined
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(wellFormed(value));
  if (text === undefined) throw new TypeError('undefined has no JSON form');
  return text;
}
