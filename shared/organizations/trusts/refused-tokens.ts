import type { OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { TokenFault, VerifiedToken } from '#shared/outgoing/verify-token.ts';
import type { AuditedChange } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { hourOf, recordRefusedToken } from '../records/token-writes.ts';
import { claimText } from '../rules/claim-patterns.ts';

/** Why a token was refused, and what is known of it. */
export interface Refusal {
  reason: TokenFault | 'issuer' | 'audience' | 'claims' | 'long_claim' | 'account' | 'admin' | 'used';
  issuer: string;
  /** The organization; absent if it has no trust for the issuer, and perhaps does not exist. */
  org?: { id: OrganizationId } | undefined;
  /** The trust that the request names, if there is one: a caller can make up names. */
  trust?: string | undefined;
  /** A sentence about the token. */
  why?: string;
  /** The token, if its signature was verified. */
  token?: VerifiedToken;
  /** Claims that no trust accepts. */
  differing?: readonly string[];
}

/** Refusals that the audit log has an entry for, as far as this process knows. */
const recorded = memoryOf<string>('refused tokens');

/**
 * Writes a refused token into the audit log: once an hour for each organization, reason and trust, so that strangers cannot fill
 * the log (rules/identities.md#audit-of-refusals).
 */
export async function recordRefusal(
  { org: orgName, receivedAt: at }: { org: string; receivedAt: Micros },
  refusal: Refusal,
  { table }: Pick<Stores, 'table'>,
): Promise<void> {
  const kind = refusal.reason === 'issuer' ? refusal.reason : `${refusal.reason}#${refusal.trust ?? ''}`;
  const hour = hourOf(at);
  const name = `${orgName} ${hour} ${kind}`;
  if (recorded.get(name) !== undefined) return;
  const org = refusal.org ?? (await new Directory(table).organization(orgName));
  if (org) await recordRefusedToken(table, org.id, { hour, kind, at, change: changeOf(refusal) });
  recorded.set(name, kind);
}

function changeOf({ reason, issuer, trust, why, token, differing = [] }: Refusal): AuditedChange {
  const claims = token && Object.fromEntries(differing.map((claim) => [claim, claimText(token, claim) ?? null]));
  return {
    kind: 'token.refused',
    subject: { type: 'token', name: issuer },
    after: {
      reason,
      ...(trust !== undefined && { trust }),
      ...(why !== undefined && { why }),
      ...(token && { subject: token.sub, audience: token.aud, differing: claims }),
    },
  };
}
