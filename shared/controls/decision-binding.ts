import type { DecisionBinding } from '#shared/evidence/judge-attestation.ts';
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
  writes(org, control, { id, flow, trail, name, compliant, fingerprint }, entry) {
    const about = fingerprint === null ? { flow, trail } : { fingerprint };
    return [{ put: { ...keyIn(decisionPartition(org, control, about), entry), v: 1, r: id, n: name, c: compliant } }];
  },
};
