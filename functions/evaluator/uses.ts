import { ATTEST_USES } from '#shared/evidence/record-attestation.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';

/** What the evaluator writes: how evaluations end, with their texts, and their decisions, which are attestations. */
export const EVALUATOR_USES: Uses = usesTogether([
  ATTEST_USES,
  {
    writes: ['EVALUATION', 'BODY'],
    removes: ['@EVALUATING'],
    bucket: ['bodies:read', 'bodies:write', 'evidence:read', 'evidence:write'],
  },
]);
