import { SHORTEST_PREFIX } from './records/keys.ts';

/** Whether a text may be the beginning of a fingerprint or commit that readers give (semantics §1.2). */
export const isShaPrefix = (text: string): boolean =>
  text.length >= SHORTEST_PREFIX && text.length <= 64 && /^[a-f0-9]+$/.test(text);
