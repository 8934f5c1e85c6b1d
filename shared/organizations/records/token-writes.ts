import type { OrganizationId } from '#shared/base/ids.ts';
import { type Duration, fromSeconds, type Micros, plus } from '#shared/base/time.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type NewKey, secretOf, ttlAfter } from './api-keys.ts';
import { type AuditedChange, auditWrite, UNKNOWN_ACTOR } from './audit.ts';
import { apiKeyKey, refusedTokensKey, usedTokenKey } from './keys.ts';

/** A token is accepted for some seconds after its end, because clocks differ. */
const TOKEN_GRACE_SECONDS = 60;

/**
 * Returns the write of a key that was exchanged for a token. The key is in no list, because there can be thousands of them in
 * an hour; it ends with its time, its trust and its service account (rules/identities.md#end-of-keys).
 */
export const exchangedKeyWrite = (key: NewKey): Write => ({
  put: { ...apiKeyKey(key.hash), ...secretOf(key), ttl: ttlAfter(key.expiresAt) },
});

/**
 * Returns the write that records a token as exchanged. It is refused with `used` if the token was exchanged before.
 *
 * @param digest SHA-256 of what the issuer signed
 * @param endsAt `exp` of the token, in seconds
 */
export const usedTokenWrite = (digest: string, endsAt: number): Write<'used'> =>
  putIfAbsent(
    { ...usedTokenKey(digest), v: 1, ttl: ttlAfter(fromSeconds(endsAt)) + TOKEN_GRACE_SECONDS },
    () => 'used',
  );

/**
 * Writes the audit entry of a refused token, unless this hour has an entry for tokens that were refused for the same reason
 * (rules/identities.md#audit-of-refusals).
 *
 * @param hour from {@link hourOf}
 * @param kind reason and trust
 */
export async function recordRefusedToken(
  table: Table,
  org: OrganizationId,
  { hour, kind, at, change }: { hour: string; kind: string; at: Micros; change: AuditedChange },
): Promise<void> {
  const ttl = ttlAfter(plus(at, HOUR));
  await table.transact([
    putIfAbsent({ ...refusedTokensKey(org, hour, kind), v: 1, ttl }, () => 'recorded' as const),
    auditWrite(org, { at, actor: UNKNOWN_ACTOR }, change),
  ]);
}

const HOUR: Duration = 3_600_000_000;
/** Returns the number of an hour since the epoch. */
export const hourOf = (at: Micros): string => String(Math.floor(at / HOUR));
