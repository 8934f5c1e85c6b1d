import * as z from 'zod';
import { newId, type PrincipalId } from '#shared/base/ids.ts';
import { invalidField } from '#shared/base/validation.ts';
import { mayAs } from '#shared/callers/roles.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
import { repeated } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { AccountName, createAccount as create } from '#shared/organizations/records/service-accounts.ts';
import { personalOrganization } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { AccountOut, accountOut, Description, Privilege } from './account-output.ts';

const AccountRequest = z
  .object({ name: AccountName, privilege: Privilege, description: Description.nullish() })
  .meta({ id: 'ServiceAccountRequest' });

/** POST /service-accounts/{org}: creates a service account (rules/organizations.md#account-endpoints). */
export const createAccount = endpoint({
  operation: 'createServiceAccount',
  method: 'POST',
  path: '/service-accounts/{org}',
  summary: 'Create a service account',
  description: 'The privilege may not exceed the caller’s role. Personal organizations have no service accounts.',
  access: 'snapshotter',
  managesAccess: true,
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: AccountRequest },
  success: { 201: AccountOut },
  makes: { at: '/service-accounts/{org}/{name}', id: 'name' },
  errors: [personalOrganization],
  uses: { writes: ['ACCOUNT', 'MEMBER', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { body, org, caller, role, idempotency } = request;
    const { name, privilege } = body;
    if (!mayAs(role, privilege)) throw permissionDenied();
    if (org.kind === 'personal') throw personalOrganization({ org: org.name });
    const now = clock.now();
    const account = {
      v: 1 as const,
      id: newId<PrincipalId>(now),
      name,
      displayName: name,
      privilege,
      description: body.description ?? null,
      createdBy: caller.id,
      createdAt: now,
      rev: 1,
    };
    const answer = { status: 201, body: accountOut(account), made: { name } };
    const audited = {
      kind: 'service_account.created',
      subject: { type: 'service_account', id: account.id, name },
      after: { privilege, description: account.description },
    } as const;
    const claim = claimWrites(idempotency, answer, now);
    const outcome = await create<EarlierRequest>(table, org.id, account, auditing(request, audited, claim));
    if (outcome === 'taken') {
      // 400 and not 409: clients retry a 409 and hide its sentence (rules/requests.md#conflicts-409).
      throw invalidField('name', `Service account '${name}' already exists in organization '${org.name}'`, name);
    }
    return outcome === 'done' ? answer : repeated(AccountOut, outcome);
  },
});
