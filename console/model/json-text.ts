/** Bounds of the JSON viewer: a document of evidence may be large, deep, or made to make a browser slow. */
const MOST_CHARACTERS = 200_000;

interface JsonText {
  text: string;
  /** Characters of the whole document. */
  size: number;
  /** Whether only the beginning is shown. */
  isCut: boolean;
}

/** Writes a document with two spaces per level, cut off at the bound. */
export function jsonText(document: unknown, most = MOST_CHARACTERS): JsonText {
  const text = JSON.stringify(document, null, 2) ?? 'null';
  return { text: text.length > most ? text.slice(0, most) : text, size: text.length, isCut: text.length > most };
}
