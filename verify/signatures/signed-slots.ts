import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import type { MomentChange } from '#shared/evidence/rules/trail-state.ts';
import { Verification } from '#shared/evidence/rules/verification.ts';
import { Fault } from '../fault.ts';
import { fitting } from '../records/lines.ts';

const NOTHING = 'null';

/** The facts of a record that say something of its signature. */
const Derived = z.object({ verification: Verification.partial().optional() });

/**
 * What moments say of the signatures of records. Policies decide by it, so it must be what follows from the record
 * (rules/verification.md#bundles-of-an-export).
 */
export class SignedSlots {
  /** By id of the record. Records of whose signature a moment says nothing are left out, because most records have none. */
  readonly #said = new Map<string, string>();

  /** Notes what a moment says of its record. */
  add(record: string, changes: MomentChange['changes']): void {
    for (const change of changes) {
      if (change.kind !== 'attestation' || change.id !== record || !change.proof) continue;
      const said = canonicalJson(change.proof);
      // Slots of one record that differ from each other differ from the record.
      this.#said.set(record, (this.#said.get(record) ?? said) === said ? said : `several: ${said}`);
    }
  }

  /**
   * Compares what a moment says with the record.
   *
   * @param derived facts of the record, which its commitment covers
   * @throws Fault that names the record
   */
  require(place: string, record: string, derived: Readonly<Record<string, unknown>>): void {
    fitting(place, Derived, derived);
    const said = this.#said.get(record) ?? NOTHING;
    const proof = slotProof(derived);
    const follows = canonicalJson(proof ?? null);
    // Moments of the first releases say nothing of what the service observed.
    if (said === follows || (said === NOTHING && proof?.grade === 'observed')) return;
    throw new Fault(
      place,
      `the moment of attestation ${record} has the signature ${said}, its record gives ${follows}`,
    );
  }
}
