/** Most bytes of a file that are shown as text (rules/attestations.md#preview). */
export const TEXT_BYTES = 256 * 1024;
/** Largest file that is shown as a picture, and largest archive that is opened. */
export const WHOLE_BYTES = 1024 * 1024;

type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

const isText = (bytes: Uint8Array, from: number, text: string): boolean =>
  [...text].every((character, n) => bytes[from + n] === character.charCodeAt(0));

/**
 * Returns the type of a picture by the first bytes of its file; null for every other file. The type that a reporter states
 * is not used. SVG is text.
 */
export function pictureType(bytes: Uint8Array): PictureType | null {
  if (isText(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (isText(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (isText(bytes, 0, 'GIF87a') || isText(bytes, 0, 'GIF89a')) return 'image/gif';
  if (isText(bytes, 0, 'RIFF') && isText(bytes, 8, 'WEBP')) return 'image/webp';
  return null;
}

/** Whether a file begins as gzip does. The command-line client packs several files into one archive of this kind. */
export const isGzip = (bytes: Uint8Array): boolean => isText(bytes, 0, '\x1f\x8b');

/** Whether bytes begin with the header of a file in a tar. */
export const isTar = (bytes: Uint8Array): boolean => isText(bytes, 257, 'ustar');

/**
 * Decodes UTF-8; null for bytes that are none, and for text with a NUL, which only binary files have.
 *
 * @param isCut whether more bytes follow, so that the last character may be incomplete. It is left out then
 */
export function previewText(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return text.includes('\0') ? null : text;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
