import { isDeepStrictEqual } from 'node:util';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { authored } from '../records/audit.ts';
import { type AccountRecord, readAccount } from '../records/service-accounts.ts';
import {
  MOST_OF_ISSUER,
  MOST_TRUSTS,
  readTrust,
  readTrustItems,
  type TrustRecord,
  trustWrites,
} from '../records/trusts.ts';
import { tooManyOfIssuer, tooManyTrusts, trustNotFound } from '../rules/sentences.ts';
import type { TrustRule } from '../rules/trusts.ts';
import { type ReadTrust, trustFacts } from './read-trusts.ts';

export const PUT_TRUST: Uses = { writes: ['TRUST', '@TRUSTED', 'AUDIT'], removes: ['@TRUSTED'] };

export const DELETE_TRUST: Uses = { writes: ['AUDIT'], removes: ['TRUST', '@TRUSTED'] };

/** A trust as a caller gives it. Its claims are sorted by name, and `trustErrors` finds nothing wrong with it. */
export interface GivenTrust extends TrustRule {
  /** Name of the service account. */
  account: string;
  /** How long a key works. */
  minutes: number;
  description: string | null;
}

/** The trust as it is now, and whether it is new. */
export interface TrustPut extends ReadTrust {
  isNew: boolean;
}

/**
 * Creates or replaces a trust (rules/identities.md#trusts). If nothing changes, nothing is written.
 *
 * @throws ServiceError `invalid` if the service account does not exist or is admin, and if the trust would be one too many
 */
export async function putTrust(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<TrustPut>,
  given: GivenTrust,
): Promise<TrustPut> {
  const { org } = by;
  return retrying(async () => {
    const [before, account] = await Promise.all([
      readTrust(table, org.id, given.name),
      readAccount(table, org.id, given.account),
    ]);
    if (!account) throw invalidField('service_account', 'There is no such service account', given.account);
    if (account.privilege === 'admin') {
      const why = 'The service account is admin, and pipelines may not act as an admin. Send another service account';
      throw invalidField('service_account', why, given.account);
    }
    if (before?.issuer !== given.issuer) await refuseTooMany(table, org, given, before);
    const trust = replaced(before, given, account, clock.now());
    const isSame = before && isDeepStrictEqual(trustFacts(before), trustFacts(trust)) && before.terms === trust.terms;
    const put = { isNew: !before, trust: isSame ? before : trust, account };
    if (isSame) {
      await storeClaim(table, by.claim(put));
      return put;
    }
    const { writes, covers } = trustWrites(org, { before, after: trust });
    const change = {
      kind: before ? 'trust.changed' : 'trust.created',
      subject: { type: 'trust', id: trust.id, name: trust.name },
      ...(before && { before: trustFacts(before) }),
      after: trustFacts(trust),
      covers,
    } as const;
    const outcome = await table.transact<'again'>([...authored(by, change, put), ...writes]);
    return outcome === 'again' ? outcome : put;
  });
}

/** @throws ServiceError `invalid` if the trust would be one too many, of the organization or of its issuer */
async function refuseTooMany(
  table: Table,
  org: Organization,
  { issuer }: GivenTrust,
  before: TrustRecord | undefined,
): Promise<void> {
  const items = await readTrustItems(table, org.id, { limit: MOST_TRUSTS });
  if (!before && items.length >= MOST_TRUSTS) throw tooManyTrusts({ count: items.length });
  const { length: count } = items.filter((item) => item['issuer'] === issuer);
  if (count >= MOST_OF_ISSUER) throw tooManyOfIssuer({ count });
}

/**
 * Returns the trust after a change. If it accepts other tokens than before, or accepts them for another service account,
 * it has new terms, and counts as not used (rules/identities.md#end-of-keys).
 */
function replaced(
  before: TrustRecord | undefined,
  { name, preset, issuer, audience, claims, minutes, description }: GivenTrust,
  account: AccountRecord,
  now: Micros,
): TrustRecord {
  const accepted = {
    account: { id: account.id, name: account.name },
    preset,
    issuer,
    audience,
    claims: claims.map((claim) => ({ name: claim.name, values: [...claim.values] })),
  };
  const kept = before && isDeepStrictEqual(acceptedBy(before), accepted) ? before : undefined;
  return {
    v: 1,
    id: before?.id ?? newId(now),
    terms: kept?.terms ?? newId(now),
    name,
    ...accepted,
    minutes,
    description,
    createdAt: before?.createdAt ?? now,
    changedAt: now,
    firstUsedAt: kept?.firstUsedAt ?? EPOCH,
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

/** Removes a trust, which ends its keys (rules/identities.md#end-of-keys). @throws ServiceError `not-found` */
export async function deleteTrust({ table }: Pick<Stores, 'table'>, by: Author<void>, name: string): Promise<void> {
  await retrying(async () => {
    const trust = await readTrust(table, by.org.id, name);
    if (!trust) throw trustNotFound();
    const { writes, covers } = trustWrites(by.org, { before: trust });
    const deleted = {
      kind: 'trust.deleted',
      subject: { type: 'trust', id: trust.id, name: trust.name },
      before: trustFacts(trust),
      covers,
    } as const;
    return table.transact<'again'>([...authored(by, deleted), ...writes]);
  });
}
