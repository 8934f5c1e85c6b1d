import { faultEntry, logToConsole } from './access-log.ts';
import type { Request } from './endpoint.ts';
import { toApiError } from './faults.ts';

/**
 * Called for a record that a list could not read: the list goes on with a placeholder, and the log says why (semantics
 * §1.5, house style 17).
 * @throws what was thrown, when the store was only busy: the same request may succeed later
 */
export function noteUnreadable(
  service: string,
  { requestId, path }: Pick<Request, 'requestId' | 'path'>,
  record: string,
  error: unknown,
): void {
  if (toApiError(error).status === 503) throw error;
  const now = Date.now();
  logToConsole(
    faultEntry(service, { requestId, startedAt: now, method: 'GET', path }, `Unreadable record: ${record}`, error, now),
  );
}
