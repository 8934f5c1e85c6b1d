import type { Files } from './bag.ts';

/** One change of an export. */
export interface Change {
  /** The place and what happens there, for readers. */
  what: string;
  /** What is changed: family and kind of a line, or the folder of a file. */
  kind: string;
  /** Places of the lines of the honest export that are changed or removed, or the path of a file without lines. */
  touched: readonly string[];
  /** Whether the change leaves manifests as they were. */
  isUnsealed?: boolean;
  /** Whether the change only adds a line that is there already. */
  isRepeat?: boolean;
  make(): Files;
}
