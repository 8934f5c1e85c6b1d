import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';

/** Facts of a snapshot that the header of its link commits to but does not show (rules/environments.md#hash-chain). */
export interface Summary {
  /** The environment's name when the snapshot was taken. */
  name: string;
  /** Null = unknown. */
  state: boolean | null;
  /** The last state before this snapshot that was not unknown; null = there was none. */
  known: boolean | null;
  compliant: boolean;
  /** How many event numbers it reserved. */
  events: number;
  /** The number before the first of them. */
  eventsBefore: number;
}

/** The text under a snapshot's `summary` commitment, as RFC 8785 JSON. */
export const summaryText = ({ name, state, known, compliant, events, eventsBefore }: Summary): string =>
  canonicalJson({ name, state, known, compliant, events, eventsBefore });
