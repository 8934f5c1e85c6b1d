import { SHORTEST_PREFIX } from './records/keys.ts';

/** Whether a text may be the beginning of a fingerprint or commit that readers give (semantics §1.2). */
export const isShaPrefix = (text: string): boolean =>
  text.length >= SHORTEST_PREFIX && text.length <= 64 && /^[a-f0-9]+$/.test(text);

/** Whether a text is a whole fingerprint: anything else is unknown without a look, and never enters a key. */
export const isFingerprint = (text: string): boolean => /^[a-f0-9]{64}$/.test(text);
