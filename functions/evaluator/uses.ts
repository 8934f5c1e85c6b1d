import { ATTEST_USES } from '#shared/evidence/record-attestation.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';

/** Rights of the evaluator: it ends evaluations with their bodies, and records decisions, which are attestations. */
export const EVALUATOR_USES: Uses = usesTogether([
  ATTEST_USES,
  {
    writes: ['EVALUATION', 'BODY'],
    removes: ['@EVALUATING'],
    bucket: ['bodies:read', 'bodies:write', 'evidence:read', 'evidence:write'],
  },
]);
