/** A part of a text: as it is, or the name of a character that cannot be seen. */
interface TextPart {
  text: string;
  hidden: boolean;
}

/** Control characters without tab and line feed, and characters that join, hide or turn around what follows. */
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029\u{e0000}-\u{e0fff}\ufff9-\ufffb]/u;
const KEPT = new Set(['\n', '\t']);

/** Makes characters visible that would otherwise hide a text or change its direction. `<U+202E>` stands for one. */
export function visibleText(text: string): TextPart[] {
  const parts: TextPart[] = [];
  for (const character of text.replaceAll('\r\n', '\n')) {
    const hidden = HIDDEN.test(character) && !KEPT.has(character);
    const shown = hidden ? codePoint(character) : character;
    const last = parts.at(-1);
    if (last && last.hidden === hidden) last.text += shown;
    else parts.push({ text: shown, hidden });
  }
  return parts;
}

const codePoint = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
