/** What an SBOM describes: the product whose packages it lists. A field is null if the file does not say it. */
export interface SbomSubject {
  name: string;
  version: string | null;
  purl: string | null;
  /** In hex, in small letters. */
  sha256: string | null;
}

/** What a file says about itself (rules/attestations.md#what-is-read-of-an-sbom). */
export interface SbomSummary {
  /** `cyclonedx-1.6`, `spdx-2.3` */
  format: string;
  /** Null if the file names no subject, or several. */
  subject: SbomSubject | null;
  package_count: number;
}

/** The file is no SBOM that this service can read. The message says why and may be shown to everybody. */
export class SbomUnreadable extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'SbomUnreadable';
  }
}

/** Longest text of a summary, in code points. A summary is part of an item of the table. */
const LONGEST_TEXT = 1024;

/** Returns a text of the file as a summary shows it; null if the value is no text or is empty. */
export function shownText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim().toWellFormed();
  if (text === '') return null;
  return text.length <= LONGEST_TEXT ? text : [...text.slice(0, 2 * LONGEST_TEXT)].slice(0, LONGEST_TEXT).join('');
}

/** Returns the SHA-256 of a text in small letters; null if the text is no SHA-256. */
export function shownSha256(value: unknown): string | null {
  return typeof value === 'string' && /^[a-fA-F0-9]{64}$/.test(value.trim()) ? value.trim().toLowerCase() : null;
}
