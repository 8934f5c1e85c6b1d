import type { RelayServices } from '#functions/relay/services.ts';
import { messageLog } from '#shared/base/log-lines.ts';
import { type Duration, secondsOf } from '#shared/base/time.ts';
import { sweepEvaluations } from '#shared/evaluations/sweep-evaluations.ts';
import { askForLooks } from '#shared/expectations/gaps/ask-for-looks.ts';
import { sweepExports } from '#shared/exports/sweep-exports.ts';
import { sweepLogs } from '#shared/log/sweeps/sweep-logs.ts';
import { sweepDue } from '#shared/notifications/sweep-due.ts';
import { ageOfPublicRoot } from '#shared/signers/public-root/refresh-age.ts';
import type { RelayOptions } from '../relay.ts';
import { sweepSetAside } from './sweep-set-aside.ts';

/**
 * Runs the sweeps of every minute (`rules/storage.md#sweeps`): due deliveries, waiting evaluations, running exports, looks for
 * gaps, logs without a checkpoint, records that were set aside. A sweep that fails does not stop the others. Writes a line with the age
 * of the oldest work of the first four and of the public trust root, which alarms read; the age of a sweep that failed is missing.
 *
 * @throws AggregateError with the errors of the sweeps that failed, after all others have ended
 */
export async function sweepDueWork(services: RelayServices, options: RelayOptions = {}): Promise<void> {
  const { remainingMillis, lines, wallClock } = options;
  const [deliveries, evaluations, exports, looks, publicRoot, ...others] = await Promise.allSettled([
    sweepDue(services, remainingMillis && { remainingMillis }),
    sweepEvaluations(services),
    sweepExports(services),
    askForLooks(services),
    ageOfPublicRoot(services),
    sweepLogs(services),
    sweepSetAside(services, options),
  ]);
  messageLog('relay', lines, wallClock)(
    'INFO',
    'Swept due work',
    { messageId: 'sweep' },
    {
      ...ageOf('deliveries_seconds', deliveries),
      ...ageOf('evaluations_seconds', evaluations),
      ...ageOf('exports_seconds', exports),
      ...ageOf('looks_seconds', looks),
      ...ageOf('public_root_seconds', publicRoot),
    },
  );
  const failures = [deliveries, evaluations, exports, looks, publicRoot, ...others].flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  );
  if (failures.length > 0) throw new AggregateError(failures, 'A sweep failed in part');
}

const ageOf = (field: string, outcome: PromiseSettledResult<{ oldest: Duration }>) =>
  outcome.status === 'fulfilled' && { [field]: Math.round(secondsOf(outcome.value.oldest)) };
