/** What a stored result says of the SBOMs of an artifact (rules/environments.md#content). */

/** Why a rule about SBOMs is not satisfied (rules/policies.md#sboms). */
export const WHY_SBOM = [
  'none',
  'pending',
  'unreadable',
  'recalled',
  'erased',
  /** No SBOM has the signature or the grade that the rule asks for. */
  'unsigned',
  'denied',
  'no_version',
  'not_comparable',
  /** The component has the name of the package and no package URL. */
  'unnamed',
] as const;

export interface FoundInSbom {
  why: (typeof WHY_SBOM)[number];
  /** Name of the attestation with the SBOM; null if there is none. */
  sbom: string | null;
  /** Version of the component; null if there is none. */
  version: string | null;
  /** Number of further versions of which the same is true. */
  more: number;
}

/** Longest name of an SBOM, and longest version, that a result keeps, in UTF-16 units: results are stored for each artifact. */
const LONGEST = 200;

const NULL = '-';

/** Writes what was found, as a text without white space, `~`, `!` and `@`, which mark other parts of a result. */
export const sbomMark = ({ why, sbom, version, more }: FoundInSbom): string =>
  [why, escaped(sbom), escaped(version), more].join('=');

const MARK = /^([a-z_]+)=(-|'[^=]*)=(-|'[^=]*)=(\d{1,9})$/;

/** Reads what {@link sbomMark} wrote. @returns null for any other text */
export function readSbomMark(text: string): FoundInSbom | null {
  const [, word, sbom = NULL, version = NULL, more] = MARK.exec(text) ?? [];
  const why = WHY_SBOM.find((one) => one === word);
  const [named, versioned] = [readEscaped(sbom), readEscaped(version)];
  if (why === undefined || named === undefined || versioned === undefined) return null;
  return { why, sbom: named, version: versioned, more: Number(more) };
}

/** A text begins with a quotation mark, so that the text `-` differs from none. */
function escaped(text: string | null): string {
  if (text === null) return NULL;
  const kept = text.slice(0, LONGEST).toWellFormed();
  return `'${encodeURIComponent(kept).replaceAll('~', '%7E').replaceAll('!', '%21')}`;
}

/** @returns undefined for a text that {@link escaped} has not made */
function readEscaped(text: string): string | null | undefined {
  if (text === NULL) return null;
  try {
    return decodeURIComponent(text.slice(1));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
