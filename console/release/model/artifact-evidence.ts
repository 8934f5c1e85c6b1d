import { sealsOfSlot } from '../../model/grades.ts';
import type { StateName } from '../../model/states.ts';
import { slotState } from '../../trail/model/trail.ts';
import type { TrailSummary } from '../../trail/operations.ts';
import type { EnvironmentAssertions } from '../operations.ts';

/** What the template asks of an artifact or of its trail, and what there is. */
export interface EvidenceRow {
  key: string;
  name: string;
  type: string;
  /** Whether it is about the trail as a whole, and so about every artifact in it. */
  ofTrail: boolean;
  state: StateName;
  attestation: string | null;
  unexpected: boolean;
  /** What is known of who made it. */
  seals: readonly StateName[];
}

/** The evidence that decides about an artifact in a trail: its own, and that of the trail. What is wrong comes first. */
export function evidenceOf({ slots = [], artifacts = [] }: TrailSummary, fingerprint: string): EvidenceRow[] {
  const names = new Set(
    artifacts.filter((one) => one.artifact_fingerprint === fingerprint).map(({ artifact_name: name }) => name),
  );
  return slots
    .filter(({ artifact_name: scope }) => scope === null || names.has(scope))
    .map((slot) => ({
      key: JSON.stringify([slot.artifact_name, slot.attestation_name, slot.attestation_type]),
      name: slot.attestation_name,
      type: slot.attestation_type,
      ofTrail: slot.artifact_name === null,
      state: slotState(slot),
      attestation: slot.attestation_id,
      unexpected: slot.unexpected,
      seals: sealsOfSlot(slot),
    }))
    .toSorted((one, other) => rank(one.state) - rank(other.state));
}

const rank = (state: StateName): number => (state === 'non-compliant' ? 0 : state === 'missing' ? 1 : 2);

/** The other flows that have a report of the artifact. */
export const otherFlows = ({ flows }: EnvironmentAssertions, flow: string): EnvironmentAssertions['flows'] =>
  flows.filter((one) => one.flow !== flow);
