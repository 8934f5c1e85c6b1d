import { writeToLog } from '#shared/base/log-lines.ts';
import { faultEntry } from './access-log.ts';
import { toServiceError } from './faults.ts';
import type { Request } from './request.ts';

/**
 * Logs a record that a list could not read. The list shows a placeholder in its place
 * (rules/lists.md#unreadable-records).
 * @throws the original error if the store was only busy, because the same request can succeed later
 */
export function logUnreadable(
  service: string,
  { requestId, path }: Pick<Request, 'requestId' | 'path'>,
  record: string,
  error: unknown,
): void {
  if (toServiceError(error).kind === 'busy') throw error;
  const now = Date.now();
  writeToLog(
    faultEntry(service, { requestId, startedAt: now, method: 'GET', path }, `Unreadable record: ${record}`, error, now),
  );
}
