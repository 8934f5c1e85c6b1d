import { hash } from 'node:crypto';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { withoutSpace } from '#shared/base/json-text.ts';
import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { IdempotencyClaim } from '#shared/table/idempotency.ts';
import { type EarlierRequest, earlierRequest, type StoredAnswer } from '#shared/table/idempotency.ts';
import { idempotencyKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import type { GatewayRequest } from './gateway-event.ts';
import type { Answer } from './request.ts';
import { idempotencyMismatch } from './sentences.ts';

const HEADER = 'Idempotency-Key';
/** 1 to 255 visible characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

interface Parts {
  bodyText: string;
  files: readonly FilePart[];
}

/** Computes a digest that differs for different lists of parts. */
const digestOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts));

/**
 * Returns the claim of a request with an Idempotency-Key. Its scope is principal, method and path. Its digest covers
 * the parsed parts of the body, because two equal forms can have different boundaries
 * (rules/requests.md#idempotency-key).
 * @returns undefined for reads and for requests without the header
 * @throws ServiceError 400 for a key that is empty, is too long or has characters that are not visible
 */
export function idempotencyClaim(
  request: GatewayRequest,
  parts: Parts,
  org: OrganizationId,
  principal: PrincipalId,
): IdempotencyClaim | undefined {
  const { 'idempotency-key': key } = request.headers;
  if (key === undefined || request.method === 'GET') return undefined;
  if (!KEY.test(key)) throw invalidField(HEADER, 'Should be 1 to 255 visible ASCII characters', key);
  const files = parts.files.map(({ part, filename, contentType, bytes }) => {
    return [part, filename, contentType, hash('sha256', bytes)];
  });
  return {
    key: idempotencyKey(org, principal, digestOf([request.method, request.path, key])),
    digest: digestOf([request.rawQuery, withoutSpace(parts.bodyText), files]),
  };
}

/** @throws ServiceError 400 when the key was used for another request */
export async function firstAnswer(table: Table, claim: IdempotencyClaim, now: Micros): Promise<Answer | undefined> {
  const found = await earlierRequest(table, claim, now);
  return found && answerOf(found);
}

/**
 * Returns the first answer for a request whose claim was refused.
 * @throws ServiceError 400 if the key was used for another request
 */
export function answerOf(found: EarlierRequest): StoredAnswer {
  if ('mismatch' in found) throw idempotencyMismatch();
  return found.answered;
}
