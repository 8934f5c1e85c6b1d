import { hash } from 'node:crypto';
import type { ServiceError } from '#shared/base/errors.ts';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import { issuerKeysOf } from '#shared/outgoing/issuer-keys.ts';
import { claimedIssuer, TokenRefused, type VerifiedToken, verifyToken } from '#shared/outgoing/verify-token.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import type { NewKey } from '../records/api-keys.ts';
import { auditWrite } from '../records/audit.ts';
import { readMember } from '../records/members.ts';
import { exchangedKeyWrite, usedTokenWrite } from '../records/token-writes.ts';
import { firstUse, readTrustsOfIssuer, type TrustOfIssuer } from '../records/trusts.ts';
import { accountGone, accountIsAdmin, claimTooLong, noTrust, refusedToken, tokenUsed } from '../rules/sentences.ts';
import { chooseTrust, identityOf } from '../rules/trusts.ts';
import { type Refusal, recordRefusal } from './refused-tokens.ts';

/** The exchange of a token for a key (rules/identities.md#exchange). */

export const EXCHANGE_TOKEN: Uses = {
  reads: ['@ORG', 'MEMBER'],
  writes: ['@KEY', '@TOKEN', 'TRUST', '@TRUSTED', 'REFUSED', 'AUDIT'],
};

interface ExchangeRequest {
  /** Name of the organization. */
  org: string;
  token: string;
  /** Name of the only trust that counts; undefined = every trust of the issuer. */
  trust?: string | undefined;
  receivedAt: Micros;
}

/** A key that was exchanged. `seconds` is how long it works. */
interface ExchangedKey {
  secret: string;
  seconds: number;
}

/** An exchange asks the issuer for its keys, and `guard` says which addresses it may have. */
type ExchangeStores = Pick<Stores, 'table'> & { guard: AddressGuard };

/** A refused token, with the answer and with what the audit log says. */
class Refused extends Error {
  readonly answer: ServiceError;
  readonly refusal: Refusal;
  constructor(answer: ServiceError, refusal: Refusal) {
    super(answer.message, { cause: answer });
    this.answer = answer;
    this.refusal = refusal;
  }
}

/**
 * Exchanges a token for a key of a service account. The audit log has an entry for a refusal.
 *
 * @throws ServiceError `invalid` if the token is refused
 */
export async function exchangeToken(request: ExchangeRequest, stores: ExchangeStores): Promise<ExchangedKey> {
  const secret = mintKey();
  try {
    return await retrying(() => attempt(request, secret, stores));
  } catch (error) {
    // Such a text names no issuer, so no trust can be meant, and the log has nothing to say.
    if (error instanceof TokenRefused) throw noTrust({}, { cause: error });
    if (!(error instanceof Refused)) throw error;
    await recordRefusal(request, error.refusal, stores);
    throw error.answer;
  }
}

/** @returns `again` if the trust changed meanwhile, or if another exchange was its first use */
async function attempt(
  { org, token, trust: wanted, receivedAt: now }: ExchangeRequest,
  secret: string,
  { table, guard }: ExchangeStores,
): Promise<ExchangedKey | 'again'> {
  const issuer = claimedIssuer(token);
  const known = await readTrustsOfIssuer(table, org, issuer);
  const trusts = wanted === undefined ? known : known.filter(({ name }) => name === wanted);
  // The audit log names the trust only if there is one: a caller can make up names.
  const refusal = { issuer, trust: trusts[0] && wanted, org: known[0]?.org };
  if (known.length === 0) throw new Refused(noTrust(), { reason: 'issuer', ...refusal });
  const verified = await verifyToken(token, issuer, { keys: issuerKeysOf(guard), now }).catch((error: unknown) => {
    if (!(error instanceof TokenRefused)) throw error;
    const { fault: reason, message: why, signed } = error;
    const answer = signed && isMeant(trusts, signed) ? refusedToken({ why }, { cause: error }) : noTrust();
    throw new Refused(answer, { reason, why, ...refusal });
  });
  // Not before the verification, which can take long: the time would tell whether there is such a trust.
  if (trusts.length === 0) throw new Refused(noTrust(), { reason: 'issuer', ...refusal });
  const choice = chooseTrust(trusts, verified);
  if ('refused' in choice) {
    const { refused: reason, differing } = choice;
    throw new Refused(noTrust(), { reason, differing, token: verified, ...refusal });
  }
  const { trust } = choice;
  const identity = await acceptedIdentity(table, trust, verified);
  const key = keyOf(trust, identity, { secret, now });
  const outcome = await table.transact<'used' | 'again'>([
    usedTokenWrite(signedDigest(token), verified.exp),
    exchangedKeyWrite(key),
    ...(trust.firstUsedAt === 0 ? firstUseWrites(trust, key, now) : []),
  ]);
  if (outcome === 'again') return outcome;
  if (outcome === 'used') throw new Refused(tokenUsed(), { reason: outcome, token: verified, ...refusal });
  return { secret, seconds: trust.minutes * 60 };
}

/** Whether a trust accepts audience and claims of a token. Only the refusal of such a token says more than the one sentence. */
const isMeant = (trusts: readonly TrustOfIssuer[], signed: NonNullable<TokenRefused['signed']>): boolean =>
  'trust' in chooseTrust(trusts, signed);

async function acceptedIdentity(table: Table, trust: TrustOfIssuer, token: VerifiedToken): Promise<VerifiedIdentity> {
  const { org, account, issuer, name } = trust;
  const refusal = { token, issuer, trust: name, org };
  const proved = identityOf(trust, token);
  if ('tooLong' in proved) {
    throw new Refused(claimTooLong({ claim: proved.tooLong }), { reason: 'long_claim', ...refusal });
  }
  const member = await readMember(table, org.id, account.id);
  if (!member) throw new Refused(accountGone(), { reason: 'account', ...refusal });
  // The account can have become admin after the trust was saved.
  if (member.role === 'admin') throw new Refused(accountIsAdmin(), { reason: 'admin', ...refusal });
  return proved.identity;
}

const keyOf = (
  { org, account, name, terms, minutes }: TrustOfIssuer,
  identity: VerifiedIdentity,
  { secret, now }: { secret: string; now: Micros },
): NewKey => ({
  id: newId(now),
  hash: hashKey(secret),
  principal: { kind: 'service-account', id: account.id, name: account.name, org: org.id },
  description: `Exchanged under the trust ${name}`,
  createdAt: now,
  expiresAt: plus(now, minutes * 60_000_000),
  identity,
  terms,
});

function firstUseWrites(trust: TrustOfIssuer, { id, principal, identity }: NewKey, at: Micros): Write<'again'>[] {
  const { kind, id: account, name } = principal;
  const actor = { kind, id: account, name, keyId: id };
  const change = {
    kind: 'trust.first_used',
    subject: { type: 'trust', id: trust.id, name: trust.name },
    after: { ...identity },
  } as const;
  const { writes, covers } = firstUse(trust, at);
  return [...writes, auditWrite(trust.org.id, { at, actor }, { ...change, covers })];
}

/**
 * Returns the digest of what the issuer signed. The signature is left out: of some algorithms, anybody can make a second
 * valid signature out of the first, and the token would count as another one.
 */
export const signedDigest = (token: string): string => hash('sha256', token.slice(0, token.lastIndexOf('.')));
