import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { invalidField } from '#shared/base/validation.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
import { claimAlone } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { AccountName, type AccountRecord, changeAccount } from '#shared/organizations/records/service-accounts.ts';
import { MOST_TRUSTS, readTrustItems, TrustRecord } from '#shared/organizations/records/trusts.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import { AccountOut, accountOut, Description, Privilege } from './account-output.ts';
import { managedAccount } from './managed-account.ts';

const AccountChange = z
  .object({
    description: Description.nullable()
      .optional()
      .meta({ description: 'null clears the description; absent = unchanged' }),
    privilege: Privilege.optional().meta({ description: 'Only admins may change it' }),
  })
  .meta({ id: 'ServiceAccountChange' });

/**
 * PATCH /service-accounts/{org}/{name}: changes description or privilege (rules/organizations.md#account-endpoints). Admins
 * change every account. A creator changes the description of an own account (rules/organizations.md#managing-an-account).
 */
export const updateAccount = endpoint({
  operation: 'updateServiceAccount',
  method: 'PATCH',
  path: '/service-accounts/{org}/{name}',
  summary: 'Update the description or the privilege of a service account',
  description: '`{}` changes nothing. A request whose fields are all unknown is refused.',
  access: 'snapshotter',
  managesAccess: true,
  row: 2,
  params: z.object({ org: z.string(), name: AccountName }),
  query: z.object({}),
  body: { kind: 'json', schema: AccountChange },
  success: { 200: AccountOut },
  errors: [accountNotFound],
  uses: { writes: ['ACCOUNT', 'MEMBER', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { body, org, role, idempotency } = request;
    return retrying(async () => {
      const before = await managedAccount(request, table);
      if (body.privilege !== undefined && role !== 'admin') throw permissionDenied();
      const change = changeOf(before, body);
      if (change.privilege === 'admin') await refuseIfTrusted(table, org.id, before);
      const answer = { status: 200, body: accountOut({ ...before, ...change }) };
      const claim = claimWrites(idempotency, answer, clock.now());
      const changed = {
        kind: change.privilege === undefined ? 'service_account.updated' : 'service_account.role_changed',
        subject: { type: 'service_account', id: before.id, name: before.name },
        before: { privilege: before.privilege, description: before.description },
        after: change,
      } as const;
      const outcome =
        Object.keys(change).length === 0
          ? await claimAlone(table, claim)
          : await changeAccount<EarlierRequest>(table, org.id, before, change, auditing(request, changed, claim));
      if (outcome === 'again') return outcome;
      if (outcome !== 'done') return { status: 200, body: AccountOut.parse(answerOf(outcome).body) };
      return { ...answer, distrust: { members: { org: org.id, principals: [before.id] } } };
    });
  },
});

/**
 * Refuses to make an account admin while pipelines may act as it. A trust that is saved at the same time is refused at the
 * exchange (rules/identities.md#admins).
 *
 * @throws ServiceError 400 with `errors.privilege`
 */
async function refuseIfTrusted(table: Table, org: OrganizationId, { id }: AccountRecord): Promise<void> {
  const items = await readTrustItems(table, org, { limit: MOST_TRUSTS });
  const trust = items.map((item) => TrustRecord.safeParse(item).data).find((data) => data?.account.id === id);
  if (!trust) return;
  const why = `Pipelines act as this service account by the trust '${trust.name}', and may not act as an admin. Delete the trust first`;
  throw invalidField('privilege', why, 'admin');
}

/** Returns the fields of a request whose values differ from the stored ones. */
function changeOf(
  before: AccountRecord,
  { description, privilege }: z.output<typeof AccountChange>,
): Partial<Pick<AccountRecord, 'description' | 'privilege'>> {
  return {
    ...(description !== undefined && description !== before.description && { description }),
    ...(privilege !== undefined && privilege !== before.privilege && { privilege }),
  };
}
