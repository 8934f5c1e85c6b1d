import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { secondsOf } from '#shared/base/time.ts';
import { type RefreshServices, refreshPublicRoot } from '#shared/signers/public-root/refresh-public-root.ts';

interface RefreshOptions {
  log?: Log;
  wallClock?: () => number;
}

/**
 * Refreshes the public root if a day has passed, and writes a line about it (rules/verified-evidence.md#refresh). A refresh that fails is a
 * line with the fault; the root before stays.
 */
export async function refreshRoot(services: RefreshServices, { log, wallClock }: RefreshOptions = {}): Promise<void> {
  const refreshed = await refreshPublicRoot(services);
  const line = messageLog('notifier', log, wallClock);
  const call = { messageId: 'sweep' };
  if (refreshed.outcome === 'failed') {
    const { fault, since } = refreshed;
    const age = Math.round(secondsOf(services.clock.now() - since));
    line('ERROR', 'The public root could not be refreshed; the root before stays', call, { fault, age_seconds: age });
  } else if (refreshed.outcome !== 'fresh') line('INFO', 'Refreshed the public root', call, { ...refreshed });
}
