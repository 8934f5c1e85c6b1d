import type { Attestation } from './attestation.ts';
import type { Answer } from './http.ts';

/** A system that stores attestations. */
export interface System {
  name: string;
  /**
   * Makes the request now, and returns a function that sends it.
   * @param series attestations of the same series are written one after another
   */
  prepare(attestation: Attestation, series: string): () => Promise<Answer>;
  /** Describes the answer of an accepted write. @throws Error if the write was not accepted */
  accepted(answer: Answer): Accepted;
  /** Sends the same write without credentials. */
  writeAsStranger(attestation: Attestation, series: string): Promise<Answer>;
  /** Reads the statement of an accepted write; undefined if the system does not have it now. */
  read(written: Accepted): Promise<string | undefined>;
  /** Whether the system can prove now that its log includes the write. */
  isProven(written: Accepted): Promise<boolean>;
}

/** What the answer of a write says. All of it can be stored as JSON. */
export interface Accepted {
  id: string;
  /** The number that the write got, and the sequence that the number belongs to. */
  number: number;
  sequence: string;
  /** Whether the answer contains a proof that the log includes the write. */
  hasProof: boolean;
}
