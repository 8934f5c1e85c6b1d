import { PredicateUnreadable } from './fields.ts';
import { kindOf, type StatementKind } from './kind-of.ts';
import { readProvenance } from './provenance.ts';
import { readPublication, readRelease } from './release.ts';
import { readSarif } from './sarif.ts';
import { readSbomPredicate } from './sbom.ts';
import { readTestResult } from './test-result.ts';
import { readVex } from './vex.ts';
import { readVsaV1, readVsaV02 } from './vsa.ts';
import { readVulns } from './vulns.ts';

type Summary = Readonly<Record<string, unknown>>;

/** What a reader found in a statement. */
interface PredicateReading {
  readonly kind: StatementKind;
  /** Empty for an unknown predicate type; `{unreadable}` with a sentence if the predicate is not what its type promises. */
  readonly statement: Summary;
}

/** The longest summary, in bytes of JSON. */
export const LONGEST_SUMMARY = 64 * 1024;
/** Deepest nesting of containers, as in texts that somebody signed. */
const MAX_DEPTH = 250;
/** The most values of a predicate. A reader looks at each of them. */
const MOST_VALUES = 1_000_000;

/** Readers by kind. The type says which version it is. */
const READERS: Record<StatementKind, (predicate: unknown, type: string) => Summary> = {
  provenance: readProvenance,
  vsa: (predicate, type) => (type.endsWith('/v1') ? readVsaV1 : readVsaV02)(predicate),
  sbom: (predicate, type) => ({ ...readSbomPredicate(predicate, type.includes('cyclonedx') ? 'cyclonedx' : 'spdx') }),
  vulns: readVulns,
  'test-result': readTestResult,
  vex: readVex,
  sarif: readSarif,
  release: (predicate, type) => (type.endsWith('/release/v0.1') ? readRelease : readPublication)(predicate),
  statement: () => ({}),
};

/**
 * Reads what a statement says, by its predicate type (rules/verified-evidence.md#what-is-read-of-a-predicate). The signer chose every value:
 * a summary is not more than what the signer says. Throws nothing, whatever the predicate is.
 */
export function readPredicate({
  predicateType,
  predicate,
}: {
  predicateType: string;
  predicate: unknown;
}): PredicateReading {
  const kind = kindOf(predicateType);
  try {
    refuseLarge(predicate);
    return { kind, statement: fitted(READERS[kind](predicate, predicateType)) };
  } catch (error) {
    if (!(error instanceof PredicateUnreadable)) throw error;
    return { kind, statement: { unreadable: error.message } };
  }
}

/** Walks without recursion, before anything else does. */
function refuseLarge(predicate: unknown): void {
  let level: unknown[] = [predicate];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new PredicateUnreadable(`The predicate is nested deeper than ${MAX_DEPTH} levels`);
    values += level.length;
    if (values > MOST_VALUES) throw new PredicateUnreadable(`The predicate has more than ${MOST_VALUES} values`);
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}

/**
 * Shortens the lists of a summary until it is short enough. The counts beside them stay.
 * @throws PredicateUnreadable if it is too long without its lists
 */
function fitted(summary: Summary): Summary {
  const bytes = Buffer.byteLength(JSON.stringify(summary));
  if (bytes <= LONGEST_SUMMARY) return summary;
  const hasLists = Object.values(summary).some((value) => Array.isArray(value) && value.length > 0);
  if (!hasLists) {
    throw new PredicateUnreadable(`What was read of the predicate has ${bytes} bytes. The most are ${LONGEST_SUMMARY}`);
  }
  const shorter = Object.entries(summary).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(0, Math.floor(value.length / 2)) : value,
  ]);
  return fitted(Object.fromEntries(shorter));
}
