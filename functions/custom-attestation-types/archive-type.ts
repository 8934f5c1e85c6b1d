import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { archiveType as archive } from '#shared/evidence/records/custom-type-writes.ts';
import { readTypeHead } from '#shared/evidence/records/custom-types.ts';
import { unknownType } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

/** PUT /custom-attestation-types/{org}/{name}/archive: archives a type (rules/attestations.md#archive-a-type). */
export const archiveType = endpoint({
  operation: 'archiveCustomAttestationType',
  method: 'PUT',
  path: '/custom-attestation-types/{org}/{name}/archive',
  summary: 'Archive a custom attestation type',
  description: 'New reports of this type are refused. Earlier reports and all versions of the type stay readable.',
  access: 'member',
  params: z.object({ org: z.string(), name: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [unknownType],
  uses: { writes: ['TYPE', 'CATALOGUE', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { params, org, idempotency } = request;
    const { name } = params;
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const head = await readTypeHead(table, org.id, name);
      if (!head) throw unknownType({ type: name, org: org.name });
      const now = clock.now();
      const claim = claimWrites(idempotency, answer, now);
      if (head.archived !== null) return claimAlone(table, claim);
      const subject = { type: 'custom_attestation_type', id: head.id, name };
      return archive(table, org.id, head, now, auditing(request, { kind: 'custom_type.archived', subject }, claim));
    });
    return written(answer, outcome);
  },
});
