import type { DecisionBinding } from '#shared/evidence/judge-attestation.ts';
import { gradeOfSlot, slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { keyIn } from '#shared/table/keys.ts';
import { readControlHead } from './records/controls.ts';
import { decisionPartition } from './records/keys.ts';

/**
 * Binds a decision to its control: finds the control's version (rules/controls.md#decision) and writes the entry by which
 * policies find the decision (rules/controls.md#index-of-decisions).
 */
export const decisionBinding: DecisionBinding = {
  async versionOf(table, org, control) {
    const head = await readControlHead(table, org, control);
    return head?.version ?? null;
  },
  writes(org, control, record, entry) {
    const { id, flow, trail, name, compliant, fingerprint } = record;
    const about = fingerprint === null ? { flow, trail } : { fingerprint };
    const proof = slotProof(record.derived);
    const facts = { f: flow, g: gradeOfSlot({ proof, origin: record.identity }), ...(proof && { p: proof }) };
    const key = keyIn(decisionPartition(org, control, about), entry);
    return [{ put: { ...key, v: 1, r: id, n: name, c: compliant, ...facts } }];
  },
};
