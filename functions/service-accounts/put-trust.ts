import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, repeated } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { type AccountRecord, readAccount } from '#shared/organizations/records/service-accounts.ts';
import {
  changedTrustWrites,
  MOST_OF_ISSUER,
  MOST_TRUSTS,
  newTrustWrites,
  readTrust,
  readTrustItems,
  TrustName,
  type TrustRecord,
  trustCover,
} from '#shared/organizations/records/trusts.ts';
import { tooManyOfIssuer, tooManyTrusts } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import { checkTrust, issuerOf } from './check-trust.ts';
import { boundClaims, TrustOut, TrustRequest, trustFacts, trustOut } from './trust-forms.ts';

type Body = z.output<typeof TrustRequest>;

/** PUT /trusts/{org}/{name}: creates or replaces a trust (rules/identities.md#trusts). */
export const putTrust = endpoint({
  operation: 'putTrust',
  method: 'PUT',
  path: '/trusts/{org}/{name}',
  summary: 'Trust an issuer of tokens: pipelines whose tokens match act as a service account',
  description:
    'Replaces the whole trust. A change of issuer, audience, claims or service account ends the keys that were exchanged before. The change takes effect everywhere within 30 seconds. `warnings` of the answer names known traps.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string(), name: TrustName }),
  query: z.object({}),
  body: { kind: 'json', schema: TrustRequest },
  success: { 200: TrustOut, 201: TrustOut },
  makes: { at: '/trusts/{org}/{name}', id: 'name' },
  errors: [tooManyTrusts, tooManyOfIssuer],
  checks: [({ body }, { guard }) => body && checkTrust(body, guard)],
  uses: { writes: ['TRUST', '@TRUSTED', 'AUDIT'], removes: ['@TRUSTED'] },
  handler: async (request, { table, clock }) => {
    const { body, org, params, idempotency } = request;
    return retrying(async () => {
      const [before, account] = await Promise.all([
        readTrust(table, org.id, params.name),
        readAccount(table, org.id, body.service_account),
      ]);
      if (!account) throw invalidField('service_account', 'There is no such service account', body.service_account);
      if (account.privilege === 'admin') {
        const why = 'The service account is admin, and pipelines may not act as an admin. Send another service account';
        throw invalidField('service_account', why, body.service_account);
      }
      if (before?.issuer !== issuerOf(body)) await refuseTooMany(table, org, body, before);
      const now = clock.now();
      const trust = replaced(before, { body, account, name: params.name }, now);
      const isChanged =
        !before || !isDeepStrictEqual(trustFacts(before), trustFacts(trust)) || before.terms !== trust.terms;
      const answer = {
        status: before ? 200 : 201,
        body: trustOut(isChanged ? trust : before, account),
        made: { name: trust.name },
      };
      const claim = claimWrites(idempotency, answer, now);
      const outcome = isChanged
        ? await table.transact<'again' | EarlierRequest>([
            ...claim,
            ...(before ? changedTrustWrites(org, before, trust) : newTrustWrites(org, trust)),
            auditOf(request, {
              kind: before ? 'trust.changed' : 'trust.created',
              subject: { type: 'trust', id: trust.id, name: trust.name },
              ...(before && { before: trustFacts(before) }),
              after: trustFacts(trust),
              covers: [trustCover(before, trust)],
            }),
          ])
        : await claimAlone(table, claim);
      if (outcome === 'again') return outcome;
      if (outcome !== 'done') return repeated(TrustOut, outcome);
      return { ...answer, distrust: { trusts: { org: org.id, names: [trust.name] } } };
    });
  },
});

/** @throws ServiceError 400 if the trust would be one too many, of the organization or of its issuer */
async function refuseTooMany(
  table: Table,
  org: Organization,
  body: Body,
  before: TrustRecord | undefined,
): Promise<void> {
  const items = await readTrustItems(table, org.id, { limit: MOST_TRUSTS });
  if (!before && items.length >= MOST_TRUSTS) throw tooManyTrusts({ count: items.length });
  const issuer = issuerOf(body);
  const { length: count } = items.filter((item) => item['issuer'] === issuer);
  if (count >= MOST_OF_ISSUER) throw tooManyOfIssuer({ count });
}

interface Requested {
  body: Body;
  account: AccountRecord;
  name: string;
}

/**
 * Returns the trust after a request. If it accepts other tokens than before, or accepts them for another service account,
 * it has new terms, and counts as not used (rules/identities.md#end-of-keys).
 */
function replaced(before: TrustRecord | undefined, { body, account, name }: Requested, now: Micros): TrustRecord {
  const { preset, audience, minutes, description } = body;
  const accepted = {
    account: { id: account.id, name: account.name },
    preset,
    issuer: issuerOf(body),
    audience,
    claims: boundClaims(body.claims).map(({ name, values }) => ({ name, values: [...values] })),
  };
  const kept = before && isDeepStrictEqual(acceptedBy(before), accepted) ? before : undefined;
  return {
    v: 1,
    id: before?.id ?? newId(now),
    terms: kept?.terms ?? newId(now),
    name,
    ...accepted,
    minutes,
    description: description ?? null,
    createdAt: before?.createdAt ?? now,
    changedAt: now,
    firstUsedAt: kept?.firstUsedAt ?? 0,
    rev: (before?.rev ?? 0) + 1,
  };
}

const acceptedBy = ({ account, preset, issuer, audience, claims }: TrustRecord) => ({
  account,
  preset,
  issuer,
  audience,
  claims,
});
