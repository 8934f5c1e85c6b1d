import { isDictionary } from '#shared/base/validation.ts';

/** Which bytes are an SBOM or OpenVEX, where only the bytes say it (rules/components.md#which-files-are-read). */

/** Bytes at the beginning of a file that decide whether it is read. */
export const SNIFFED_BYTES = 64 * 1024;

const FORMATS: readonly RegExp[] = [
  /^\s*\{.*"(?:bomFormat|SPDXID|spdxVersion)"\s*:/s,
  /^\s*\{.*"@context"\s*:\s*"https?:\/\/spdx\.org\/rdf\/3/s,
  /^\s*<.*https?:\/\/cyclonedx\.org\/schema\/bom\//s,
  /^(?:#[^\n]*\n|\s)*SPDXVersion:/,
];

const OPENVEX = /^\s*\{.*"@context"\s*:\s*"https?:\/\/openvex\.dev\/ns/s;

/**
 * Returns what a file is by its beginning: CycloneDX or SPDX, OpenVEX, or null.
 * @param start its first {@link SNIFFED_BYTES}, or all of a shorter file
 */
export function kindOfFile(start: Uint8Array): 'sbom' | 'vex' | null {
  const text = new TextDecoder('utf-8').decode(start.subarray(0, SNIFFED_BYTES));
  if (OPENVEX.test(text)) return 'vex';
  return FORMATS.some((format) => format.test(text)) ? 'sbom' : null;
}

/**
 * Returns the predicate of the statement in a bundle, or in a bare envelope. The report has verified the bundle, so nothing is checked again.
 *
 * @param text of the attached bundle
 * @returns undefined if it has no statement
 */
export function predicateOf(text: string): unknown {
  const bundle = objectOf(text);
  const { payload } = isDictionary(bundle['dsseEnvelope']) ? bundle['dsseEnvelope'] : bundle;
  return typeof payload === 'string'
    ? objectOf(Buffer.from(payload, 'base64').toString('utf8'))['predicate']
    : undefined;
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isDictionary(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
