import { storedId } from '#shared/base/ids.ts';
import { actionSecretKey } from '#shared/notifications/records/keys.ts';
import { type Family, familyOf } from '#shared/table/uses.ts';

/**
 * Record families that hold secrets in plain text: those that sign webhooks. A function reads them only if it declares so
 * (rules/storage.md#rights-to-read). Secrets of keys and sessions are stored as hashes, which open nothing.
 */
export const SECRET_FAMILIES: readonly Family[] = [familyOf(actionSecretKey(storedId('org'), 1).pk)];
