import { type Grade, reachesGrade } from '#shared/evidence/rules/verification.ts';
import type { FoundProof } from './results.ts';

/** Whether evidence is signed as a rule asks (`rules/policies.md#signatures`). */
export const isSigned = (
  { signed_by: signers, grade: least }: { signed_by: readonly string[] | null; grade: Grade | null },
  found: FoundProof,
): boolean =>
  (signers === null || (found.signer !== undefined && signers.includes(found.signer))) &&
  (least === null || reachesGrade(found.grade, least));
