import * as z from 'zod';
import { FlowId } from '#shared/base/ids.ts';
import { AnyFlowName } from '#shared/base/names.ts';
import { GRADES, type Grade, reachesGrade } from '#shared/evidence/rules/verification.ts';
import { SignerName } from '#shared/signers/rules/records.ts';

/** What a control asks of the decisions that count for it (rules/controls.md#requirements). */

/** The most flows and the most signers that a control names. A head has to stay small, because evaluations read it. */
export const MOST_REQUIRED = 20;

/** What is absent does not matter. A flow keeps the name that the request gave. */
export const Requirements = z.object({
  flows: z.array(z.object({ id: FlowId, name: AnyFlowName })).optional(),
  signers: z.array(SignerName).optional(),
  grade: z.enum(GRADES).optional(),
});
export type Requirements = z.infer<typeof Requirements>;

/** What is known of a recorded decision. Decisions of releases before requirements have none of it. */
export interface DecisionFacts {
  flow?: FlowId | undefined;
  grade: Grade;
  /** Name of the signer; absent if nobody signed. */
  signer?: string | undefined;
}

/** Whether a decision counts for a control. */
export const meetsRequirements = (
  { flows, signers, grade: least }: Requirements,
  { flow, grade, signer }: DecisionFacts,
): boolean =>
  (flows === undefined || flows.some(({ id }) => id === flow)) &&
  (signers === undefined || (signer !== undefined && signers.includes(signer))) &&
  (least === undefined || reachesGrade(grade, least));

/** Requirements as answers and the audit log show them: names alone. */
interface ShownRequirements {
  flows?: string[];
  signed_by?: string[];
  grade?: Grade;
}

/** @returns the member `requires` of what is shown of a control; nothing if every decision counts */
export function shownRequirements({ requires }: { requires?: Requirements | undefined }): {
  requires?: ShownRequirements;
} {
  if (requires === undefined) return {};
  const { flows, signers, grade } = requires;
  return {
    requires: {
      ...(flows && { flows: flows.map(({ name }) => name) }),
      ...(signers && { signed_by: [...signers] }),
      ...(grade && { grade }),
    },
  };
}
