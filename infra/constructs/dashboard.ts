import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  type AlarmBase,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { dashboardName } from '../names.ts';
import type { StatefulStack } from '../stateful-stack.ts';
import { FIVE_MINUTES } from './alarms.ts';
import { functionMetric } from './metrics.ts';

/** What alarms and dashboard look at. Functions, logs and schedules are known by their names (`names.ts`). */
export interface Watched {
  readonly stageName: string;
  readonly stateful: StatefulStack;
  /** The table that the service uses. */
  readonly table: ITable;
  readonly api: IHttpApi;
  /** Names of the functions behind the gateway. */
  readonly apiFunctions: readonly string[];
}

interface StageDashboardProps extends Watched {
  readonly alarms: readonly AlarmBase[];
}

/** Every operation on items of the table. */
const ITEM_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.TRANSACT_GET_ITEMS,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.BATCH_WRITE_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
];

/** The functions that queues, the stream and schedules call. */
export const WORKERS = ['relay', 'notifier', 'expander', 'evaluator', 'integrator', 'exporter'];

/** Half of a dashboard's width, in columns. */
const HALF = 12;

/** The dashboard for the person on call: alarms first, then what a request passes, then what an event passes. */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, props: StageDashboardProps) {
    super(scope, id);
    const { api, stateful, table, apiFunctions, alarms, stageName } = props;
    const sum = { period: FIVE_MINUTES, statistic: Stats.SUM };
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: dashboardName(stageName) });
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 2 * HALF, height: 4 }));
    dashboard.addWidgets(
      graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]),
      graph(
        'Latency (ms)',
        [50, 95, 99].map((p) => api.metricLatency({ period: FIVE_MINUTES, statistic: Stats.p(p) })),
      ),
    );
    const perFunction = (metricName: 'Errors' | 'Throttles' | 'Duration', statistic: string = Stats.SUM) =>
      [...apiFunctions, ...WORKERS].map((name) => functionMetric(stageName, name, { metricName, statistic }));
    dashboard.addWidgets(
      graph('Failed calls by function', perFunction('Errors')),
      graph('Throttled calls by function', perFunction('Throttles')),
    );
    dashboard.addWidgets(
      graph('Duration by function, p99 (ms)', perFunction('Duration', Stats.p(99))),
      graph('Units of the table', [
        table.metricConsumedReadCapacityUnits(sum),
        table.metricConsumedWriteCapacityUnits(sum),
        table.metricThrottledRequestsForOperations({
          operations: [...ITEM_OPERATIONS],
          period: FIVE_MINUTES,
        }),
      ]),
    );
    const longest = { period: FIVE_MINUTES, statistic: Stats.MAXIMUM };
    dashboard.addWidgets(
      graph('Age of stream records (ms)', [
        functionMetric(stageName, 'relay', { metricName: 'IteratorAge', statistic: Stats.MAXIMUM }),
      ]),
      graph('Queues', [
        stateful.deliveries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'deliveries' }),
        stateful.deliveries.metricApproximateNumberOfMessagesDelayed({ ...longest, label: 'delayed deliveries' }),
        stateful.expansions.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'expansions' }),
        stateful.evaluations.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'evaluations' }),
        stateful.logEntries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'log entries' }),
        stateful.deadLogEntries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead log entries' }),
        stateful.deadExpansions.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead expansions' }),
        stateful.visits.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'visits' }),
        stateful.deadVisits.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'dead visits' }),
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
