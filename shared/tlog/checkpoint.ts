import { decodeDecimal, decodeHash } from './encoding.ts';
import { malformed } from './errors.ts';

/** The text of a checkpoint, which the log signs (C2SP tlog-checkpoint; rules/log.md#checkpoints). */

export interface Checkpoint {
  origin: string;
  /** Number of leaves. */
  size: number;
  root: Buffer;
}

/** Returns the text without extension lines. */
export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/**
 * Reads the text of a checkpoint. Extension lines of other logs are accepted and ignored.
 *
 * @throws TlogError `malformed`
 */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  if (lines.length < 4 || lines.pop() !== '')
    throw malformed('The checkpoint does not have three lines that end with line feeds.');
  const [origin = '', sizeText = '', rootText = '', ...extensions] = lines;
  if (origin === '') throw malformed('The checkpoint has no origin in line 1.');
  const size = decodeDecimal(sizeText);
  if (size === undefined) throw malformed(`Line 2 of the checkpoint is not a size: '${sizeText}'.`);
  const root = decodeHash(rootText);
  if (!root) throw malformed(`Line 3 of the checkpoint is not the base64 of a SHA-256 hash: '${rootText}'.`);
  if (extensions.includes('')) throw malformed('The checkpoint has an empty extension line.');
  return { origin, size, root };
}
