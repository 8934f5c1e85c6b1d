import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { Alarms, FIVE_MINUTES } from './alarms.ts';
import { StageDashboard, type Watched } from './dashboard.ts';
import { CONTRADICTIONS, LOG_LINES, RELAY_LINES } from './log-lines.ts';
import { anyLine, isLine, type LoggingFunction, LogMetrics } from './log-metrics.ts';
import { functionMetric, hasMessages, invocationsOf, keepsMessages, sumOf } from './metrics.ts';
import { watchObjectives } from './objectives.ts';
import { watchSignals } from './signals.ts';
import { watchDueWork } from './sweeps.ts';

/** CloudWatch allows at most this many metrics in the expression of an alarm. */
const METRICS_PER_ALARM = 10;

interface WatchProps extends Watched {
  readonly alarmAddress: string | undefined;
  /** Address that notifications are mailed from; absent if the stage sends no mail. */
  readonly mailSender: string | undefined;
  /** Whether the stage refreshes the public trust root. */
  readonly isRootRefreshed: boolean;
}

/** Alarms and dashboard of a stage (rules/storage.md#operation). Each alarm has a section in docs/runbook.md. */
export class Watch extends Construct {
  readonly #alarms: Alarms;
  readonly #stage: string;
  readonly #lines: LogMetrics;

  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    this.#alarms = new Alarms(this, 'Alarms', props.alarmAddress);
    this.#stage = props.stageName;
    this.#lines = new LogMetrics(this, this.#stage);
    this.#watchApi(props);
    this.#watchEvents(props);
    this.#watchDeliveries(props);
    this.#watchExpansions(props);
    this.#watchEvaluations(props);
    this.#watchExports(props);
    this.#watchLogs(props);
    this.#watchLists();
    const watching = { ...props, alarms: this.#alarms, lines: this.#lines };
    watchDueWork(watching);
    watchSignals(this, watching);
    watchObjectives(watching);
    new StageDashboard(this, 'Dashboard', { ...props, alarms: this.#alarms.all });
  }

  #watchApi({ api, apiFunctions }: WatchProps): void {
    const period = FIVE_MINUTES;
    this.#alarms.add('ServerErrors', {
      metric: api.metricServerError({ period, statistic: Stats.SUM }),
      threshold: 5,
      periods: 2,
      impact: 'Callers get errors (5xx): pipelines fail or try again, and evidence may not be recorded.',
    });
    this.#alarms.add('SlowAnswers', {
      metric: api.metricLatency({ period, statistic: Stats.p(99) }),
      threshold: Duration.seconds(10).toMilliseconds(),
      periods: 3,
      impact: 'One in a hundred callers waits for more than ten seconds: pipelines are slow and clients may give up.',
    });
    for (let i = 0; i * METRICS_PER_ALARM < apiFunctions.length; i += 1) {
      const functions = apiFunctions.slice(i * METRICS_PER_ALARM, (i + 1) * METRICS_PER_ALARM);
      this.#alarms.add(`Throttles${i === 0 ? '' : i + 1}`, {
        metric: sumOf(
          'Throttled calls',
          functions.map((name) => functionMetric(this.#stage, name, { metricName: 'Throttles', statistic: Stats.SUM })),
        ),
        threshold: 1,
        periods: 2,
        impact: 'Callers are refused because too many functions run at once: pipelines get errors (503).',
      });
    }
  }

  #watchEvents({ stateful }: WatchProps): void {
    this.#alarms.add('EventsLate', {
      metric: functionMetric(this.#stage, 'relay', {
        metricName: 'IteratorAge',
        period: Duration.minutes(1),
        statistic: Stats.MAXIMUM,
      }),
      threshold: FIVE_MINUTES.toMilliseconds(),
      periods: 3,
      impact: 'Notifications are late and lists lag: the relay does not keep up with the stream, or cannot read it.',
    });
    this.#alarms.add('EventsGivenUp', {
      ...hasMessages(stateful.relayFailures),
      impact:
        'The relay gave up on part of the stream: some notifications and verdicts are right only after the next sweep.',
    });
    this.#alarms.add('SweeperBehind', {
      metric: invocationsOf(this.#stage, 'sweep-events', Duration.minutes(15)),
      threshold: 0,
      isLowerBound: true,
      isMissingDataBreaching: true,
      impact: 'The sweep for lost events does not run: events that the stream did not bring cause no notification.',
    });
    this.#alarms.add('SweepsFail', {
      metric: this.#count('FailedSweeps', isLine(RELAY_LINES.failedSweeps)),
      threshold: 1,
      periods: 3,
      impact: 'Sweeps fail again and again: lost events and the last pages of lists wait for them.',
    });
    this.#alarms.add('VisitsLate', {
      metric: this.#lines.field('VisitAge', RELAY_LINES.visits, 'oldest_seconds', 'relay', Stats.MAXIMUM),
      threshold: Duration.minutes(10).toSeconds(),
      periods: 2,
      impact:
        'What the stream lost stays lost longer than promised: no sweep has completed an organization for ten minutes.',
    });
    this.#alarms.add('StuckVisits', {
      ...keepsMessages(stateful.visits, Duration.minutes(10)),
      impact:
        'What the stream lost comes late: organizations wait for more than ten minutes for their visit by the sweeps.',
    });
    this.#alarms.add('DeadVisits', {
      ...hasMessages(stateful.deadVisits),
      impact: 'What the stream lost in an organization stays lost: its visit by the sweeps failed five times.',
    });
    this.#alarms.add('RecordsSetAside', {
      metric: this.#count('SetAsideRecords', anyLine([RELAY_LINES.setAside, RELAY_LINES.setAsideAgain])),
      threshold: 1,
      impact: 'What follows from an accepted write is missing: the relay cannot handle its record and set it aside.',
    });
  }

  #watchDeliveries({ stateful }: WatchProps): void {
    this.#alarms.add('DeadDeliveries', {
      ...hasMessages(stateful.deadDeliveries),
      impact: 'Notifications are stuck: the notifier crashed on them five times and will not try them again by itself.',
    });
    this.#alarms.add('StuckDeliveries', {
      ...keepsMessages(stateful.deliveries, Duration.minutes(30)),
      periods: 2,
      impact: 'Notifications are late: messages wait in the queue for more than half an hour.',
    });
    this.#alarms.add('RetriesStopped', {
      metric: invocationsOf(this.#stage, 'sweep-due', Duration.minutes(5)),
      threshold: 0,
      isLowerBound: true,
      isMissingDataBreaching: true,
      periods: 2,
      impact: 'Failed notifications and lost evaluations are not retried: the sweep of every minute does not run.',
    });
  }

  #watchExpansions({ stateful }: WatchProps): void {
    this.#alarms.add('DeadExpansions', {
      ...hasMessages(stateful.deadExpansions),
      impact:
        'Events and notifications of environments are missing, or verdicts are old: the expander failed five times.',
    });
    this.#alarms.add('StuckExpansions', {
      ...keepsMessages(stateful.expansions, FIVE_MINUTES),
      impact:
        'Events and notifications of environments are late: messages wait in the queue for more than five minutes.',
    });
  }

  #watchEvaluations({ stateful }: WatchProps): void {
    this.#alarms.add('DeadEvaluations', {
      ...hasMessages(stateful.deadEvaluations),
      impact: 'Evaluations or their decisions are not made: the evaluator failed on them five times.',
    });
    this.#alarms.add('StuckEvaluations', {
      ...keepsMessages(stateful.evaluations, FIVE_MINUTES),
      impact: 'Pipelines wait for verdicts that do not come: evaluations that wait for 15 minutes fail.',
    });
  }

  #watchExports({ stateful }: WatchProps): void {
    this.#alarms.add('DeadExports', {
      ...hasMessages(stateful.deadExports),
      impact: 'Exports of organizations fail or are late: the exporter failed on them five times.',
    });
  }

  #watchLogs({ stateful }: WatchProps): void {
    this.#alarms.add('DeadLogEntries', {
      ...hasMessages(stateful.deadLogEntries),
      impact: 'Accepted writes are missing in the log of an organization: the integrator failed on them five times.',
    });
    this.#alarms.add('StuckLogEntries', {
      ...keepsMessages(stateful.logEntries, FIVE_MINUTES),
      impact: 'Receipts come late: entries for logs wait in the queue for more than five minutes.',
    });
    this.#alarms.add('IntegrationsFail', {
      metric: this.#count(
        'FailedIntegrations',
        anyLine([LOG_LINES.unreadable, LOG_LINES.notAppended, LOG_LINES.notPublished]),
        'integrator',
      ),
      threshold: 1,
      periods: 3,
      impact: 'Receipts come late or not at all: the integrator fails again and again.',
    });
    this.#alarms.add('LogsContradict', {
      metric: this.#count(
        'LogContradictions',
        FilterPattern.any(
          ...[LOG_LINES.differs, LOG_LINES.missing, LOG_LINES.broken, LOG_LINES.witnessed, LOG_LINES.differentPart].map(
            isLine,
          ),
          ...CONTRADICTIONS.map((name) => FilterPattern.stringValue('$.error', '=', name)),
        ),
        'integrator',
        // The sweep of chains and a backfill find contradictions too.
        'relay',
        'operator',
      ),
      threshold: 1,
      impact:
        'Stored evidence differs from what was published: somebody changed the table or the bucket, or restored it.',
    });
    this.#alarms.add('CheckpointsLate', {
      metric: this.#age('CheckpointAge', LOG_LINES.late, 'relay'),
      threshold: FIVE_MINUTES.toSeconds(),
      impact: 'Receipts do not come: the log of an organization has had entries without a checkpoint for five minutes.',
    });
    this.#alarms.add('LogsNotCompared', {
      metric: this.#count('UncomparedLogs', anyLine([LOG_LINES.notCompared, LOG_LINES.longWalk]), 'integrator'),
      threshold: 1,
      impact: 'A change of a stored log can stay unnoticed: the nightly walk over the logs fails or does not end.',
    });
    this.#alarms.add('CosignaturesLate', {
      metric: this.#age('CosignatureAge', LOG_LINES.notCosigned, 'integrator'),
      threshold: Duration.minutes(15).toSeconds(),
      impact:
        'Verifiers that ask for witnesses refuse new checkpoints: too few witnesses have cosigned for 15 minutes.',
    });
  }

  #watchLists(): void {
    this.#alarms.add('LateEntries', {
      metric: this.#count('LateEntries', isLine(RELAY_LINES.lateEntries)),
      threshold: 1,
      impact: 'Totals and pages of a list were wrong until it was counted again: a write took longer than it may.',
    });
    this.#alarms.add('LostEvents', {
      metric: this.#count('LostEvents', isLine(RELAY_LINES.lostEvents)),
      threshold: 1,
      impact: 'Notifications came minutes late, by the sweep: the stream did not bring their events.',
    });
  }

  #count(id: string, pattern: IFilterPattern, name: LoggingFunction = 'relay', ...others: LoggingFunction[]): IMetric {
    return this.#lines.count(id, pattern, name, ...others);
  }

  /** Returns a metric of the ages that lines of a function's log have. */
  #age(id: string, line: string, name: LoggingFunction): IMetric {
    return this.#lines.field(id, line, 'age_seconds', name, Stats.MAXIMUM);
  }
}
