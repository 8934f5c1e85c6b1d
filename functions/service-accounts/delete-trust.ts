import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { readTrust, removedTrustWrites, trustCover } from '#shared/organizations/records/trusts.ts';
import { trustNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { trustFacts } from './trust-forms.ts';

/** DELETE /trusts/{org}/{name}: removes a trust, which ends its keys (rules/identities.md#end-of-keys). */
export const deleteTrust = endpoint({
  operation: 'deleteTrust',
  method: 'DELETE',
  path: '/trusts/{org}/{name}',
  summary: 'Delete a trust, and end the keys that were exchanged for its tokens',
  description: 'The keys end everywhere within 30 seconds. The name is free again.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string(), name: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [trustNotFound],
  uses: { writes: ['AUDIT'], removes: ['TRUST', '@TRUSTED'] },
  handler: async (request, { table, clock }) => {
    const { org, params, idempotency } = request;
    const answer = ok(200);
    const { outcome } = await retrying(async () => {
      const trust = await readTrust(table, org.id, params.name);
      if (!trust) throw trustNotFound();
      const outcome = await table.transact<'again' | EarlierRequest>([
        ...claimWrites(idempotency, answer, clock.now()),
        ...removedTrustWrites(org, trust),
        auditOf(request, {
          kind: 'trust.deleted',
          subject: { type: 'trust', id: trust.id, name: trust.name },
          before: trustFacts(trust),
          covers: [trustCover(trust, undefined)],
        }),
      ]);
      return outcome === 'again' ? outcome : { outcome };
    });
    return { ...written(answer, outcome), distrust: { trusts: { org: org.id, names: [params.name] } } };
  },
});
