import { retrying } from '#shared/base/retry.ts';
import type { CallingUser } from '#shared/callers/caller.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import type { OwnMembership } from '#shared/organizations/own-membership.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { offerNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

type OwnRequest = Pick<Request<{ org: string }>, 'params' | 'credential' | 'receivedAt' | 'idempotency'> & {
  caller: CallingUser;
};

/**
 * Runs a change of the caller's own membership. Authentication did not look at the organization, because the caller is
 * perhaps not in it yet.
 *
 * @param change returns `no offer` if there is nothing to join or to leave
 * @throws ServiceError 404 for that, and for an unknown organization, with the same sentence
 */
export async function changeOwn(
  { params, caller, credential, receivedAt, idempotency }: OwnRequest,
  table: Table,
  change: (request: OwnMembership) => Promise<'done' | 'again' | 'no offer' | EarlierRequest>,
): Promise<Answer<'OK'>> {
  const org = await new Directory(table).organization(params.org);
  if (!org) throw offerNotFound();
  const answer = ok(200);
  const outcome = await retrying(() =>
    change({
      user: { id: caller.id, name: caller.name },
      org,
      claims: credential.session?.claims,
      stamp: stampOf(caller, receivedAt),
      claim: claimWrites(idempotency, answer, receivedAt),
    }),
  );
  if (outcome === 'no offer') throw offerNotFound();
  return { ...written(answer, outcome), distrust: { members: { org: org.id, principals: [caller.id] } } };
}
