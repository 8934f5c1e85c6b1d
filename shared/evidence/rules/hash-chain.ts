import { hash } from 'node:crypto';

/**
 * The hash chain of a trail or an environment (design §2.4). Each link says
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

type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };

/**
 * RFC 8785 (JSON Canonicalization Scheme): members in order of their UTF-16 code units, no white space, numbers as
 * ECMAScript prints them. Members that are undefined are left out, as JSON.stringify does.
 * @throws RangeError for numbers that JSON cannot say
 */
export function canonicalJson(value: unknown): string {
  return canonical(value as Json);
}

function canonical(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${value} has no JSON form`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const one of value) text += `${text === '' ? '' : ','}${canonical(one)}`;
    return `[${text}]`;
  }
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(member)}`;
  }
  return `{${text}}`;
}
