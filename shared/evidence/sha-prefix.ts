import { SHORTEST_PREFIX } from './records/keys.ts';

export { SHORTEST_PREFIX };

/** Whether a text is a valid prefix of a fingerprint or a commit (rules/artifacts.md#prefixes). */
export const isShaPrefix = (text: string): boolean =>
  text.length >= SHORTEST_PREFIX && text.length <= 64 && /^[a-f0-9]+$/.test(text);
