import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alarms } from './alarms.ts';
import { SIGNAL_LINES } from './log-lines.ts';
import type { LogMetrics } from './log-metrics.ts';

/** Adds an alarm on the age of what each sweep of every minute looks after (rules/storage.md#sweeps). */
export function watchDueWork({
  alarms,
  lines,
  isRootRefreshed,
}: {
  alarms: Alarms;
  lines: LogMetrics;
  /** Whether the stage refreshes the public trust root. */
  isRootRefreshed: boolean;
}): void {
  const age = (id: string, field: string) => lines.field(id, SIGNAL_LINES.swept, field, 'relay', Stats.MAXIMUM);
  alarms.add('DeliveriesLate', {
    metric: age('DueDeliveryAge', 'deliveries_seconds'),
    threshold: Duration.minutes(10).toSeconds(),
    periods: 2,
    impact: 'Failed notifications are tried again late: the sweep finds some that have been due for ten minutes.',
  });
  alarms.add('EvaluationsLate', {
    metric: age('WaitingEvaluationAge', 'evaluations_seconds'),
    threshold: Duration.minutes(20).toSeconds(),
    impact: 'Pipelines wait for verdicts that do not come: an evaluation has waited for 20 minutes and did not fail.',
  });
  alarms.add('ExportsLate', {
    metric: age('RunningExportAge', 'exports_seconds'),
    threshold: Duration.hours(2).toSeconds(),
    periods: 2,
    impact: 'An export or package does not end: it was started more than two hours ago.',
  });
  alarms.add('LooksLate', {
    metric: age('DueLookAge', 'looks_seconds'),
    threshold: Duration.minutes(10).toSeconds(),
    impact: 'Silent reporters are found late: the look for gaps in an organization has been due for ten minutes.',
  });
  if (!isRootRefreshed) return;
  alarms.add('PublicRootOld', {
    metric: age('PublicRootAge', 'public_root_seconds'),
    threshold: Duration.days(7).toSeconds(),
    periods: 2,
    impact:
      'New signatures of Sigstore may soon not be verified: the public trust root could not be refreshed for seven days.',
  });
}
