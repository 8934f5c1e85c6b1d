import * as z from 'zod';
import type { Component } from './component.ts';
import { type PackageUrl, packageOf, parsePackageUrl } from './package-url.ts';
import { compareVersions } from './versions/schemes.ts';

/** What a statement of OpenVEX names: a product or a part of one. */
interface Named {
  /** The name that the document gives it, often a package URL or a name of an image. */
  readonly id: string | null;
  readonly purl: PackageUrl | null;
  /** Digest in lower-case hex. */
  readonly sha256: string | null;
}

/** One statement of an OpenVEX document (rules/components.md#said-not-to-be-affected). */
export interface VexStatement {
  /** Names of the vulnerability: the one of the statement first, then its aliases. */
  readonly vulnerabilities: readonly string[];
  readonly status: 'not_affected' | 'affected' | 'fixed' | 'under_investigation';
  /** Why the product is not affected: the word of the format, or the sentence of the author. */
  readonly justification: string | null;
  /** When it was stated, as the document says it: the time of the statement, or that of the document. */
  readonly statedAt: string | null;
  /** Empty if the statement leaves the product to the attestation that carries it. */
  readonly products: readonly Product[];
}

interface Product extends Named {
  /** The components of the product that the statement is about. Empty if it does not name any. */
  readonly subcomponents: readonly Named[];
}

const text = z.string().nullish();
/** Documents before 0.2.0 name things by their texts. */
const Thing = z.union([
  z.string().transform((id) => ({ '@id': id, identifiers: undefined, hashes: undefined })),
  z.object({
    '@id': text,
    identifiers: z.object({ purl: text }).nullish(),
    hashes: z.object({ 'sha-256': text, sha256: text }).nullish(),
  }),
]);
const ProductThing = z.union([z.string().transform(() => null), z.object({ subcomponents: z.array(Thing).nullish() })]);

const Statement = z.object({
  vulnerability: z.union([
    z.string().transform((name) => ({ name, aliases: undefined })),
    z.object({ name: z.string(), aliases: z.array(z.string()).nullish() }),
  ]),
  status: z.enum(['not_affected', 'affected', 'fixed', 'under_investigation']),
  justification: text,
  impact_statement: text,
  timestamp: text,
  products: z.array(z.unknown()).nullish(),
  subcomponents: z.array(Thing).nullish(),
});

const Document = z.object({ timestamp: text, statements: z.array(z.unknown()) });

/**
 * Reads what an OpenVEX document states. A statement that does not fit the format says nothing, and the others count.
 * @returns null if the predicate is no OpenVEX document
 */
export function readVexStatements(predicate: unknown): VexStatement[] | null {
  const document = Document.safeParse(predicate);
  if (!document.success) return null;
  const { timestamp, statements } = document.data;
  return statements.flatMap((one) => {
    const read = Statement.safeParse(one);
    const products = read.success ? productsOf(read.data) : null;
    if (!read.success || products === null) return [];
    const { vulnerability, status, justification, impact_statement: impact, timestamp: own } = read.data;
    return {
      vulnerabilities: [vulnerability.name, ...(vulnerability.aliases ?? [])],
      status,
      justification: justification ?? impact ?? null,
      statedAt: own ?? timestamp ?? null,
      products,
    };
  });
}

/** Products of a statement. One that does not fit makes the statement unreadable, or it would seem to be about everything. */
function productsOf({ products, subcomponents }: z.infer<typeof Statement>): Product[] | null {
  const read = (products ?? []).map((product) => {
    const thing = Thing.safeParse(product);
    const parts = ProductThing.safeParse(product);
    if (!thing.success || !parts.success) return null;
    const named = (parts.data?.subcomponents ?? subcomponents ?? []).map(namedOf);
    return { ...namedOf(thing.data), subcomponents: named };
  });
  return read.every((product) => product !== null) ? read : null;
}

function namedOf({ '@id': id, identifiers, hashes }: z.infer<typeof Thing>): Named {
  const purl = identifiers?.purl ?? id ?? null;
  return {
    id: id ?? null,
    purl: purl === null ? null : parsePackageUrl(purl),
    sha256: (hashes?.['sha-256'] ?? hashes?.sha256)?.toLowerCase() ?? null,
  };
}

/** A digest at the end of a name, such as `ghcr.io/acme/web@sha256:…`. */
const DIGEST = /(?:^|@)sha256:([0-9a-f]{64})$/i;

/**
 * The products of a statement that are an artifact: by digest, by a package URL whose version is the digest, or by a name that ends
 * in it.
 * @param fingerprint SHA-256 of the artifact in lower-case hex
 * @param isSubject whether the artifact is a subject of the attestation that carries the statement
 * @returns null if the statement is not about the artifact; an empty list if it leaves the product to the attestation
 */
export function productsThatAre({ products }: VexStatement, fingerprint: string, isSubject: boolean): Product[] | null {
  if (products.length === 0) return isSubject ? [] : null;
  const own = products.filter(({ id, purl, sha256 }) => {
    const digests = [sha256, DIGEST.exec(purl?.version ?? '')?.[1], DIGEST.exec(id ?? '')?.[1]];
    return digests.some((digest) => digest?.toLowerCase() === fingerprint);
  });
  return own.length === 0 ? null : own;
}

/** Whether a part of a product, as a statement names it, is a component: the same package, its version and its qualifiers if it has them. */
export function isPart({ purl: part }: Named, component: Pick<Component, 'purl' | 'version'>): boolean {
  const url = component.purl === null ? null : parsePackageUrl(component.purl);
  if (part === null || url === null || packageOf(part) !== packageOf(url)) return false;
  const isQualified = Object.entries(part.qualifiers).every(([key, value]) => url.qualifiers[key] === value);
  const version = url.version ?? component.version;
  return isQualified && (part.version === null || (version !== null && isSameVersion(part, version)));
}

const isSameVersion = ({ type, version }: PackageUrl, other: string): boolean =>
  version === other || compareVersions(type, version ?? '', other) === 0;
