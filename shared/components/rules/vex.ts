import * as z from 'zod';
import { type Fingerprint, isFingerprint } from '#shared/base/ids.ts';
import { cutText } from '#shared/base/well-formed.ts';
import { jsonOfFile, reading } from '#shared/evidence/rules/sbom/parse-sbom.ts';
import { type PackageUrl, parsePackageUrl } from './package-url.ts';

/** What a statement of OpenVEX names: a product or a part of one. */
interface Named {
  purl: PackageUrl | null;
  /** Digests in lower-case hex that its fields, its package URL or its name say. */
  sha256: readonly Fingerprint[];
}

interface Product extends Named {
  /** The components of the product that the statement is about. Empty if it does not name any. */
  readonly subcomponents: readonly Named[];
}

export const VEX_STATUSES = ['not_affected', 'affected', 'fixed', 'under_investigation'] as const;

/** One statement of an OpenVEX document (rules/components.md#said-not-to-be-affected). */
export interface VexStatement {
  /** Names of the vulnerability: the one of the statement first, then its aliases. */
  readonly vulnerabilities: readonly string[];
  readonly status: (typeof VEX_STATUSES)[number];
  /** Why the product is not affected: the word of the format, or the sentence of the author. */
  readonly justification: string | null;
  /** When it was stated, in seconds since the epoch, as the document says it; null without a time that can be read. */
  readonly statedAt: number | null;
  /** Empty if the statement leaves the product to the attestation that carries it. */
  readonly products: readonly Product[];
  /** The parts of that product, for a statement without products. */
  readonly subcomponents: readonly Named[];
}

/** What a document states. */
export interface VexRead {
  statements: VexStatement[];
  /** Number of statements that do not fit the format. */
  leftOut: number;
}

/** What reading a document gave: its statements, or why it cannot be read. */
export type VexReading = { read: VexRead; unreadable: null } | { read: null; unreadable: string };

const LONGEST_NAME = 100;
/** The most names of a vulnerability that are read, its own included. */
const MOST_NAMES = 20;
/** Longest justification, in UTF-16 units. A statement is part of an item of the table. */
const LONGEST_JUSTIFICATION = 1_000;

const text = z.string().nullish();
const VulnerabilityName = z.string().trim().min(1).max(LONGEST_NAME);
const fields = {
  '@id': text,
  identifiers: z.object({ purl: text }).nullish(),
  hashes: z.object({ 'sha-256': text, sha256: text }).nullish(),
};
const named = (id: string) => ({ '@id': id, identifiers: undefined, hashes: undefined });
/** Documents before 0.2.0 name things by their texts. */
const Part = z.union([z.string().transform(named), z.object(fields)]);
const ProductThing = z.union([
  z.string().transform((id) => ({ ...named(id), subcomponents: undefined })),
  z.object({ ...fields, subcomponents: z.array(Part).nullish() }),
]);

const Statement = z.object({
  vulnerability: z.union([
    VulnerabilityName.transform((name) => ({ name, aliases: undefined })),
    z.object({ name: VulnerabilityName, aliases: z.array(VulnerabilityName).nullish() }),
  ]),
  status: z.enum(VEX_STATUSES),
  justification: text,
  impact_statement: text,
  timestamp: text,
  // One that does not fit makes the statement unreadable, or the statement would seem to be about everything.
  products: z.array(ProductThing).nullish(),
  subcomponents: z.array(Part).nullish(),
});

const Document = z.object({ '@context': text, timestamp: text, statements: z.array(z.unknown()) });

/** Versions of the format that are read. Fields of another version could mean something else. */
const READ_VERSIONS = /^https?:\/\/openvex\.dev\/ns(?:\/v0\.[0-2]\.\d{1,3})?$/;
const NO_OPENVEX = 'The document is no OpenVEX: it has no list of statements';

/** Reads a document in a file. @param bytes the whole file, at most 10 MB */
export function readVex(bytes: Uint8Array): VexReading {
  const parsed = reading(() => jsonOfFile(bytes));
  return parsed.unreadable === null ? readVexDocument(parsed.read, null) : parsed;
}

/**
 * Reads what an OpenVEX document states. A statement that does not fit the format says nothing, and the others count.
 * @param type type of the predicate, for a document that does not say its version
 */
export function readVexDocument(value: unknown, type: string | null): VexReading {
  const document = Document.safeParse(value);
  if (!document.success) return { read: null, unreadable: NO_OPENVEX };
  const { '@context': own, timestamp, statements } = document.data;
  const context = own ?? type ?? '';
  if (!READ_VERSIONS.test(context)) {
    const shown = cutText(context.toWellFormed(), LONGEST_NAME);
    return {
      read: null,
      unreadable: `The document is in ${shown || 'no known format'}, and OpenVEX 0.0 to 0.2 are read`,
    };
  }
  const read = statements.flatMap((one) => {
    const statement = Statement.safeParse(one);
    return statement.success ? statementOf(statement.data, timestamp) : [];
  });
  return { read: { statements: read, leftOut: statements.length - read.length }, unreadable: null };
}

function statementOf(
  {
    vulnerability,
    status,
    justification,
    impact_statement: impact,
    timestamp,
    products,
    subcomponents,
  }: z.infer<typeof Statement>,
  ofDocument: string | null | undefined,
): VexStatement {
  const parts = (subcomponents ?? []).map(namedOf);
  const why = justification ?? impact ?? null;
  return {
    vulnerabilities: [vulnerability.name, ...(vulnerability.aliases ?? [])]
      .slice(0, MOST_NAMES)
      .map((name) => name.toWellFormed()),
    status,
    justification: why === null ? null : cutText(why.toWellFormed(), LONGEST_JUSTIFICATION),
    statedAt: secondsOfText(timestamp) ?? secondsOfText(ofDocument),
    products: (products ?? []).map((product) => ({
      ...namedOf(product),
      subcomponents: product.subcomponents?.map(namedOf) ?? parts,
    })),
    subcomponents: parts,
  };
}

const Instant = z.iso.datetime({ offset: true });

function secondsOfText(value: string | null | undefined): number | null {
  const instant = Instant.safeParse(value);
  const millis = instant.success ? Date.parse(instant.data) : Number.NaN;
  return Number.isNaN(millis) ? null : millis / 1000;
}

/** A digest at the end of a name, such as `ghcr.io/acme/web@sha256:…`. */
const DIGEST = /(?:^|@)sha256:([0-9a-f]{64})$/i;

function namedOf({ '@id': id, identifiers, hashes }: z.infer<typeof Part>): Named {
  const url = identifiers?.purl ?? id ?? null;
  const purl = url === null ? null : parsePackageUrl(url);
  const digests = [
    hashes?.['sha-256'] ?? hashes?.sha256,
    DIGEST.exec(purl?.version ?? '')?.[1],
    DIGEST.exec(id ?? '')?.[1],
  ].flatMap((digest) => digest?.toLowerCase() ?? []);
  return { purl, sha256: [...new Set(digests.filter(isFingerprint))] };
}
