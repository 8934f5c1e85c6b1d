import { SbomUnreadable, shownText } from '#shared/evidence/rules/sbom/summary.ts';

/** Longest package URL, in UTF-16 code units. A package URL that is cut would name another package. */
const LONGEST_PURL = 1024;

/** Characters that a terminal or a browser would obey instead of showing them. */
const CONTROLS = /\p{Cc}/gu;

/** Returns a text of a component: cut after 1,024 characters, with control characters replaced. Null if it is no text or is empty. */
export const textOf = (value: unknown): string | null => shownText(value)?.replaceAll(CONTROLS, '\ufffd') ?? null;

/** Returns a package URL as the file has it. Null if there is none. @throws SbomUnreadable if it is too long */
export function purlOf(value: unknown): string | null {
  if (typeof value === 'string' && value.trim().length > LONGEST_PURL) {
    throw new SbomUnreadable(`A package URL has more than ${LONGEST_PURL} characters: ${textOf(value.slice(0, 100))}…`);
  }
  return textOf(value);
}

/** Returns the error for an entry that names no component. @param reference what the file calls the entry */
export function namelessComponent(reference: unknown): SbomUnreadable {
  const shown = textOf(reference);
  return new SbomUnreadable(
    `A component has neither a name nor a package URL. Its reference is ${shown === null ? 'missing too' : shown}`,
  );
}
