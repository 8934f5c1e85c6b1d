/** An address of somebody else that may be opened, and the host that the reader is shown. */
interface OutgoingLink {
  href: string;
  host: string;
}

/**
 * Decides whether a text from evidence may become a link. Every member of an organization can
 * write evidence, so only absolute http and https addresses without credentials pass. Everything else stays text.
 */
export function outgoingLink(text: unknown): OutgoingLink | null {
  if (typeof text !== 'string' || text.length > 4096 || !/^https?:\/\//i.test(text) || hasHidden(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null;
  return { href: url.href, host: url.host };
}

// White space, control characters and characters that change the direction of writing can show another address than
// the one that opens.
const hasHidden = (text: string): boolean => /[\s\p{Cc}\p{Cf}\\]/u.test(text);
