import type { Fingerprint } from '#shared/base/ids.ts';
import type { Scope } from '#shared/evidence/rules/trail-state.ts';
import { type PackageUrl, packageUrlText } from './package-url.ts';
import type { VexStatement } from './vex.ts';

/** What the index keeps of a statement: about one product, and one part of it or one name of the vulnerability. */
export interface VexEntry {
  /** Number of the statement in its document, in the order of the statements' own times. */
  number: number;
  vulnerabilities: readonly string[];
  status: VexStatement['status'];
  justification: string | null;
  statedAt: number | null;
  /** Package URL of the part; null if the statement is about the whole product. */
  part: string | null;
}

/** An entry with what it is found by. */
export interface PlacedEntry {
  /** The artifact; null for the artifacts of the trail that the attestation is about. */
  fingerprint: Fingerprint | null;
  /** The part; for a statement about the whole product, one of the names of the vulnerability. */
  about: { package: PackageUrl } | { vulnerability: string };
  entry: VexEntry;
}

/** The most entries of an attestation. */
export const MOST_ENTRIES = 10_000;

/**
 * Returns what the index keeps of statements (rules/components.md#said-not-to-be-affected).
 *
 * Products without a digest, and parts without a package URL, cannot be found and are left out.
 * @param scopes what the attestation is about, for statements that leave the product to it
 * @returns null if there would be more than {@link MOST_ENTRIES}
 */
export function vexEntries(statements: readonly VexStatement[], scopes: readonly Scope[]): PlacedEntry[] | null {
  const own = subjectsOf(scopes);
  const entries: PlacedEntry[] = [];
  const byTime = statements.toSorted((a, b) => (a.statedAt ?? 0) - (b.statedAt ?? 0));
  for (const [number, statement] of byTime.entries()) {
    const { products, subcomponents } = statement;
    const about =
      products.length === 0
        ? own.map((fingerprint) => ({ fingerprint, parts: subcomponents }))
        : products.flatMap((product) =>
            product.sha256.map((fingerprint) => ({ fingerprint, parts: product.subcomponents })),
          );
    for (const { fingerprint, parts } of about) {
      for (const placed of placesOf(statement, parts, number)) {
        entries.push({ fingerprint, ...placed });
        if (entries.length > MOST_ENTRIES) return null;
      }
    }
  }
  return entries;
}

/** The artifacts that an attestation is about, and null once if it is about artifacts that its trail says. */
function subjectsOf(scopes: readonly Scope[]): (Fingerprint | null)[] {
  const fingerprints = scopes.flatMap((scope) => (scope.kind === 'fingerprint' ? scope.fingerprint : []));
  return fingerprints.length < scopes.length ? [...fingerprints, null] : fingerprints;
}

function placesOf(
  { vulnerabilities, status, justification, statedAt }: VexStatement,
  parts: VexStatement['subcomponents'],
  number: number,
): Omit<PlacedEntry, 'fingerprint'>[] {
  const entry = { number, vulnerabilities, status, justification, statedAt };
  if (parts.length === 0) {
    return vulnerabilities.map((vulnerability) => ({ about: { vulnerability }, entry: { ...entry, part: null } }));
  }
  return parts.flatMap(({ purl }) =>
    purl === null ? [] : [{ about: { package: purl }, entry: { ...entry, part: packageUrlText(purl) } }],
  );
}
