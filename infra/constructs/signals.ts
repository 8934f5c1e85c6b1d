import { Duration } from 'aws-cdk-lib';
import { CfnInsightRule, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { keyRuleName, limitedRuleName, logName } from '../names.ts';
import { type Alarms, FIVE_MINUTES } from './alarms.ts';
import { type Watched, WORKERS } from './dashboard.ts';
import { SIGNAL_LINES } from './log-lines.ts';
import { isLine, type LogMetrics } from './log-metrics.ts';
import { functionMetric, keepsMessages, sumOf } from './metrics.ts';

interface Watching extends Watched {
  readonly alarms: Alarms;
  readonly lines: LogMetrics;
  readonly mailSender: string | undefined;
}

/** The calls of the key service that end or weaken the use of a key. */
const KEY_CHANGES = ['DisableKey', 'ScheduleKeyDeletion', 'PutKeyPolicy', 'DeleteImportedKeyMaterial'];

/** Refused requests of one organization in five minutes: a client that repeats at once, and not a build that waits. */
const MANY_REFUSALS = 1000;

/** From this share of bounces on, the mail service reviews the account, and then suspends its sending. */
const BOUNCES_UNDER_REVIEW = 0.05;

/** With fewer attempts in five minutes the share of failed ones says nothing. */
const FEWEST_ATTEMPTS = 20;

/** Adds the alarms on what would else stay unseen on a bad day (rules/storage.md#operation). */
export function watchSignals(scope: Construct, watching: Watching): void {
  watchWorkers(watching);
  watchTable(watching);
  watchDeliveries(watching);
  watchTenants(scope, watching);
  watchKeys(scope, watching);
  watchOperators(watching);
}

/** A time-out counts as an error of the function. */
function watchWorkers({ alarms, stageName, stateful }: Watching): void {
  const ofWorkers = (metricName: 'Errors' | 'Throttles') =>
    WORKERS.map((name) => functionMetric(stageName, name, { metricName, statistic: Stats.SUM }));
  alarms.add('WorkersFail', {
    metric: sumOf('Failed calls of workers', ofWorkers('Errors')),
    threshold: 3,
    periods: 3,
    breachingPeriods: 2,
    impact: 'What follows from accepted writes is late: calls of workers end with errors or at their time limit.',
  });
  alarms.add('WorkersThrottled', {
    metric: sumOf('Throttled calls of workers', ofWorkers('Throttles')),
    threshold: 1,
    periods: 3,
    impact: 'What follows from accepted writes is late: workers may not run, because too many functions run at once.',
  });
  alarms.add('StuckExports', {
    ...keepsMessages(stateful.exports, Duration.minutes(30)),
    impact: 'Exports and packages are late: messages wait in the queue for more than half an hour.',
  });
}

/** The two metrics count the throttled parts of every operation, those inside batches and transactions too. */
function watchTable({ alarms, table }: Watching): void {
  const sum = { period: FIVE_MINUTES, statistic: Stats.SUM };
  alarms.add('TableThrottled', {
    metric: sumOf('Throttled reads and writes', [
      table.metric('ReadThrottleEvents', sum),
      table.metric('WriteThrottleEvents', sum),
    ]),
    threshold: 50,
    periods: 3,
    breachingPeriods: 2,
    impact: 'Requests are slow or fail, and workers fall behind: the table refuses reads or writes.',
  });
}

function watchDeliveries({ alarms, lines, mailSender }: Watching): void {
  const delivery = isLine(SIGNAL_LINES.delivery);
  const outcome = (word: string) => FilterPattern.stringValue('$.outcome', '=', word);
  const attempts = (id: string, word: string) =>
    lines.count(id, FilterPattern.all(delivery, outcome(word)), 'notifier');
  alarms.add('DeliveriesFail', {
    metric: new MathExpression({
      label: 'Share of failed attempts',
      expression: `IF(failed + delivered >= ${FEWEST_ATTEMPTS}, failed / (failed + delivered), 0)`,
      usingMetrics: {
        failed: filled(attempts('FailedAttempts', 'failed'), 'f'),
        delivered: filled(attempts('SucceededAttempts', 'delivered'), 'd'),
      },
      period: FIVE_MINUTES,
    }),
    threshold: 0.5,
    periods: 3,
    impact: 'Half of all notifications or more do not arrive: attempts to send fail at many targets.',
  });
  if (mailSender === undefined) return;
  const mail = FilterPattern.stringValue('$.target', '=', 'EMAIL');
  alarms.add('MailsRefused', {
    metric: lines.count('RefusedMails', FilterPattern.all(delivery, mail, outcome('failed')), 'notifier'),
    threshold: 3,
    impact: 'Notifications by mail do not arrive: the mail service refuses to send them.',
  });
  alarms.add('MailsBounce', {
    metric: new Metric({
      namespace: 'AWS/SES',
      metricName: 'Reputation.BounceRate',
      statistic: Stats.MAXIMUM,
      period: Duration.hours(1),
    }),
    threshold: BOUNCES_UNDER_REVIEW,
    impact: 'Notifications by mail do not arrive, and the mail service may soon refuse all of them: mails bounce.',
  });
}

/** A metric without lines in a period has no value, and a sum with it would have none either. */
const filled = (metric: IMetric, id: string): IMetric =>
  new MathExpression({ expression: `FILL(${id}, 0)`, usingMetrics: { [id]: metric }, period: FIVE_MINUTES });

/**
 * Counts refused requests by organization. A metric with a dimension per organization would cost for each of them; this rule keeps the
 * largest ones only, and the alarm reads the largest.
 */
function watchTenants(scope: Construct, { alarms, stageName }: Watching): void {
  const ruleName = limitedRuleName(stageName);
  const rule = new CfnInsightRule(scope, 'LimitedOrganizations', {
    ruleName,
    ruleState: 'ENABLED',
    ruleBody: JSON.stringify({
      Schema: { Name: 'CloudWatchLogRule', Version: 1 },
      LogGroupNames: [logName(stageName, '*')],
      LogFormat: 'JSON',
      Contribution: { Keys: ['$.organization'], Filters: [{ Match: '$.status', EqualTo: 429 }] },
      AggregateOn: 'Count',
    }),
  });
  const alarm = alarms.add('OrganizationLimited', {
    metric: new MathExpression({
      label: 'Refused requests of the organization with most of them',
      expression: `INSIGHT_RULE_METRIC("${ruleName}", "MaxContributorValue")`,
      usingMetrics: {},
      period: FIVE_MINUTES,
    }),
    threshold: MANY_REFUSALS,
    periods: 2,
    impact: 'Pipelines of one organization are refused (429), because they send more requests than it may.',
  });
  alarm.node.addDependency(rule);
}

/** The rule has no target: its metric says that it matched, and the alarm reads the metric. */
function watchKeys(scope: Construct, { alarms, stageName, stateful: { store } }: Watching): void {
  const ruleName = keyRuleName(stageName);
  new Rule(scope, 'KeysChanged', {
    ruleName,
    description: 'Somebody disabled a key, scheduled its deletion or changed its policy',
    eventPattern: {
      source: ['aws.kms'],
      detailType: ['AWS API Call via CloudTrail'],
      detail: {
        eventSource: ['kms.amazonaws.com'],
        eventName: KEY_CHANGES,
        resources: { ARN: [store.key, ...Object.values(store.signingKeys)].map(({ keyArn }) => keyArn) },
      },
    },
  });
  alarms.add('KeysChanged', {
    metric: new Metric({
      namespace: 'AWS/Events',
      metricName: 'TriggeredRules',
      dimensionsMap: { RuleName: ruleName },
      statistic: Stats.SUM,
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    impact:
      'Every request or every receipt may soon fail: a key was disabled, its policy changed, or its deletion scheduled.',
  });
}

function watchOperators({ alarms, lines }: Watching): void {
  const erased = FilterPattern.stringValue('$.command', '=', 'erase-body');
  alarms.add('EvidenceErased', {
    metric: lines.count('ErasedEvidence', FilterPattern.all(isLine(SIGNAL_LINES.operated), erased), 'operator'),
    threshold: 1,
    impact: 'An operator erased evidence: texts or files are gone for good.',
  });
  alarms.add('TableClosed', {
    metric: lines.count('ClosedTable', isLine(SIGNAL_LINES.closed), 'relay'),
    threshold: 1,
    impact: 'Changes are refused (503): the table is in maintenance, or somebody restores it.',
  });
}
