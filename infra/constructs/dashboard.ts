import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { StatefulStack } from '../stateful-stack.ts';
import { FIVE_MINUTES } from './alarms.ts';
import type { Evidence } from './evidence-store.ts';
import type { ServiceFunction } from './service-function.ts';

export interface RegionDashboardProps {
  readonly stateful: StatefulStack;
  readonly evidence: Evidence;
  readonly api: HttpApi;
  /** Functions behind the gateway. */
  readonly apiFunctions: readonly ServiceFunction[];
  readonly relay: ServiceFunction;
  readonly notifier: ServiceFunction;
  readonly expander: ServiceFunction;
  readonly evaluator: ServiceFunction;
  readonly exporter: ServiceFunction;
  readonly integrator: ServiceFunction;
  readonly alarms: readonly Alarm[];
  readonly stageName: string;
}

/** Half of a dashboard's width, in columns. */
const HALF = 12;

/** The dashboard for the person on call: alarms first, then what a request passes, then what an event passes. */
export class RegionDashboard extends Construct {
  constructor(scope: Construct, id: string, props: RegionDashboardProps) {
    super(scope, id);
    const {
      api,
      stateful,
      evidence,
      apiFunctions,
      relay,
      notifier,
      expander,
      evaluator,
      integrator,
      exporter,
      alarms,
    } = props;
    const sum = { period: FIVE_MINUTES, statistic: Stats.SUM };
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: `delivery-evidence-${props.stageName}` });
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 2 * HALF, height: 4 }));
    dashboard.addWidgets(
      graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]),
      graph(
        'Latency (ms)',
        [50, 95, 99].map((p) => api.metricLatency({ period: FIVE_MINUTES, statistic: Stats.p(p) })),
      ),
    );
    const functions = [...apiFunctions, relay, notifier, expander, evaluator, integrator, exporter];
    const perFunction = (metricOf: (one: ServiceFunction) => IMetric) => functions.map(metricOf);
    dashboard.addWidgets(
      graph(
        'Failed calls by function',
        perFunction((one) => one.metricErrors({ ...sum, label: one.name })),
      ),
      graph(
        'Throttled calls by function',
        perFunction((one) => one.metricThrottles({ ...sum, label: one.name })),
      ),
    );
    dashboard.addWidgets(
      graph(
        'Duration by function, p99 (ms)',
        perFunction((one) => one.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99), label: one.name })),
      ),
      graph('Units of the table', [
        evidence.table.metricConsumedReadCapacityUnits(sum),
        evidence.table.metricConsumedWriteCapacityUnits(sum),
        evidence.table.metricThrottledRequestsForOperations({
          operations: [Operation.QUERY, Operation.GET_ITEM, Operation.TRANSACT_WRITE_ITEMS],
          period: FIVE_MINUTES,
        }),
      ]),
    );
    const longest = { period: FIVE_MINUTES, statistic: Stats.MAXIMUM };
    dashboard.addWidgets(
      graph('Age of stream records (ms)', [relay.metric('IteratorAge', longest)]),
      graph('Queues', [
        stateful.deliveries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'deliveries' }),
        stateful.deliveries.metricApproximateNumberOfMessagesDelayed({ ...longest, label: 'delayed deliveries' }),
        stateful.expansions.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'expansions' }),
        stateful.evaluations.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'evaluations' }),
        stateful.logEntries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'log entries' }),
        stateful.deadLogEntries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead log entries' }),
        stateful.deadExpansions.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead expansions' }),
        stateful.exports.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'exports' }),
        stateful.deadExports.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead exports' }),
        stateful.deadEvaluations.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead evaluations' }),
        stateful.deadDeliveries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead deliveries' }),
        stateful.relayFailures.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'failed batches' }),
      ]),
    );
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: HALF, height: 6 });
