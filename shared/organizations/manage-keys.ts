import type * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import type { Answer } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import type { Services } from '#shared/http/services.ts';
import { repeated } from '#shared/http/written.ts';
import type { IdempotencyClaim } from '#shared/table/idempotency.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { earlierEnd, endOfKey } from './key-ends.ts';
import {
  graceOf,
  IssuedKeyOut,
  issuedKeyOut,
  type KeyOut,
  type KeyRequest,
  keyOut,
  RotatedKeyOut,
  type RotationRequest,
} from './key-forms.ts';
import {
  type ActiveKey,
  graceEnd,
  hashesOf,
  keyListOf,
  MOST_KEYS,
  newKeyWrites,
  readKey,
  readKeys,
  readUsedKey,
  readUsedKeys,
  revocationWrites,
  rotationWrites,
} from './records/api-keys.ts';
import type { AuditedChange } from './records/audit.ts';
import type { Principal } from './records/directory-records.ts';
import { keyNotFound, tooManyKeys } from './rules/sentences.ts';

/** Operations on the API keys of service accounts and of users (rules/organizations.md#key-endpoints). */

type Stores = Pick<Services, 'table' | 'clock'>;

/** The owner of API keys, with what a transaction on its keys needs. */
export interface KeyOwner {
  principal: Principal;
  /** Makes the audit entry of a change of a key. Makes none if no organization logs it (rules/organizations.md#audit-kinds). */
  audited(change: AuditedChange): Write[];
  /** Conditions for issuing a key: the transaction fails if the owner changed or was deleted. */
  guard: Write<'again'>[];
  idempotency?: IdempotencyClaim | undefined;
  /** The latest end of keys that the caller issues or rotates, from `latestEndFor`; undefined = there is none. */
  latestEnd: Micros | undefined;
}

/**
 * Finds the owner of keys. Each attempt of a transaction calls it again.
 *
 * @throws ServiceError if the owner does not exist or the caller may not manage its keys
 */
export type FindOwner = () => Promise<KeyOwner>;

const subjectOf = ({ id, description }: { id: string; description: string }) => ({
  type: 'api_key',
  id,
  name: description,
});

/**
 * Issues a key. The answer is the only place that contains the secret (rules/organizations.md#idempotent-key-requests).
 *
 * @throws ServiceError `invalid` for an expiry in the past or after the latest end, or if the owner has the maximum of active keys
 */
export async function issueKey(
  find: FindOwner,
  { description, expires_at }: z.output<typeof KeyRequest>,
  { table, clock }: Stores,
): Promise<Answer<IssuedKeyOut>> {
  const secret = mintKey();
  return retrying(async () => {
    const { principal, audited, guard, idempotency, latestEnd: latest } = await find();
    const now = clock.now();
    const expiresAt = endOfKey(expires_at, { otherwise: 0, latest, now });
    const present = await readKeys(table, keyListOf(principal), now);
    if (present.length >= MOST_KEYS) throw tooManyKeys({ count: present.length });
    const key = {
      id: newId(now),
      hash: hashKey(secret),
      principal,
      description,
      createdAt: now,
      expiresAt,
      ...(latest !== undefined && { endsBy: latest }),
    };
    const body = issuedKeyOut(key, secret);
    const made = { key_id: key.id };
    const outcome = await table.transact<'again' | EarlierRequest>([
      ...claimWrites(idempotency, { status: 201, body: { ...body, key: '' }, made }, now),
      ...newKeyWrites(key, again),
      ...guard,
      ...audited({
        kind: 'api_key.issued',
        subject: subjectOf(key),
        after: { owner: principal.name, expires_at: body.expires_at },
      }),
    ]);
    if (outcome === 'again') return outcome;
    return outcome === 'done' ? { status: 201, body, made } : repeated(IssuedKeyOut, outcome);
  });
}

/**
 * Lists the active keys of a principal, the oldest first.
 *
 * @param list the principal's list of keys, from `keyListOf` or `accountKeyList`
 */
export const listKeys = async (list: string, { table, clock }: Stores): Promise<KeyOut[]> =>
  (await readUsedKeys(table, list, clock.now())).map(keyOut);

/**
 * Finds an active key.
 *
 * @returns undefined if the list has no such key. The caller decides on the error, because it may read the owner in parallel.
 */
export async function findKey(list: string, id: string, { table, clock }: Stores): Promise<KeyOut | undefined> {
  const key = await readUsedKey(table, list, id, clock.now());
  return key && keyOut(key);
}

async function keyOrRefuse(principal: Principal, id: string, { table, clock }: Stores): Promise<ActiveKey> {
  const key = await readKey(table, keyListOf(principal), id, clock.now());
  if (!key) throw keyNotFound();
  return key;
}

/**
 * Gives a key a new secret. The id stays, and the old secret works until the end of its grace
 * (rules/organizations.md#rotation).
 *
 * @throws ServiceError `invalid` for an expiry in the past or after the latest end, `not-found` for an unknown key
 */
export async function rotateKey(
  find: FindOwner,
  id: string,
  { grace_period_hours, expires_at }: z.output<typeof RotationRequest>,
  stores: Stores,
): Promise<Answer<RotatedKeyOut>> {
  const { table, clock } = stores;
  const secret = mintKey();
  return retrying(async () => {
    const { principal, audited, idempotency, latestEnd } = await find();
    const key = await keyOrRefuse(principal, id, stores);
    const now = clock.now();
    const endsBy = earlierEnd(key.current.endsBy, latestEnd);
    const expiresAt = endOfKey(expires_at, { otherwise: key.current.expiresAt, latest: endsBy, now });
    const graceEndsAt = graceEnd(key, graceOf(grace_period_hours), now);
    const body = {
      ...issuedKeyOut({ ...key.current, expiresAt }, secret),
      grace_period_expires_at: toSeconds(graceEndsAt),
    };
    const made = { key_id: id };
    const outcome = await table.transact<'again' | EarlierRequest>([
      ...claimWrites(idempotency, { status: 201, body: { ...body, key: '' }, made }, now),
      ...rotationWrites(key, { hash: hashKey(secret), expiresAt, endsBy, graceEndsAt }),
      ...audited({
        kind: 'api_key.rotated',
        subject: subjectOf(key.current),
        before: { owner: principal.name, expires_at: toSeconds(key.current.expiresAt) },
        after: { expires_at: body.expires_at, grace_period_expires_at: body.grace_period_expires_at },
      }),
    ]);
    if (outcome === 'again') return outcome;
    if (outcome !== 'done') return repeated(RotatedKeyOut, outcome);
    return { status: 201, body, made, distrust: { keys: hashesOf(key) } };
  });
}

/**
 * Revokes a key: all its secrets end at once (rules/organizations.md#revocation).
 *
 * @throws ServiceError `not-found` for an unknown key and for a key that is revoked already
 */
export async function revokeKey(find: FindOwner, id: string, stores: Stores): Promise<Answer<'revoked'>> {
  return retrying(async () => {
    const owner = await find();
    const key = await keyOrRefuse(owner.principal, id, stores);
    const answer = { status: 200, body: 'revoked' as const };
    const outcome = await stores.table.transact<'again' | EarlierRequest>([
      ...claimWrites(owner.idempotency, answer, stores.clock.now()),
      ...revocationWrites(key),
      ...revocationEntry(owner, key),
    ]);
    if (outcome === 'again') return outcome;
    if (outcome !== 'done') answerOf(outcome);
    return { ...answer, distrust: { keys: hashesOf(key) } };
  });
}

type KeysToRevoke = Pick<KeyOwner, 'principal' | 'audited'>;

/**
 * Revokes all active keys of an owner, one transaction after the other.
 *
 * @returns the hashes of their secrets
 */
export async function revokeAll(owner: KeysToRevoke, { table, clock }: Stores): Promise<string[]> {
  const hashes: string[] = [];
  await retrying(async () => {
    for (const key of await readKeys(table, keyListOf(owner.principal), clock.now())) {
      const outcome = await table.transact([...revocationWrites(key), ...revocationEntry(owner, key)]);
      if (outcome === 'again') return outcome;
      hashes.push(...hashesOf(key));
    }
    return 'done';
  });
  return hashes;
}

const revocationEntry = ({ principal, audited }: KeysToRevoke, { current }: ActiveKey): Write[] =>
  audited({ kind: 'api_key.revoked', subject: subjectOf(current), before: { owner: principal.name } });
