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
  readonly answering: readonly ServiceFunction[];
  readonly relay: ServiceFunction;
  readonly notifier: ServiceFunction;
  readonly evaluator: ServiceFunction;
  readonly alarms: readonly Alarm[];
  readonly stageName: string;
}

/** Half of a dashboard's width, in its own unit. */
const HALF = 12;

/** What somebody who was called looks at first: alarms, then the way of a request, then that of an event. */
export class RegionDashboard extends Construct {
  constructor(scope: Construct, id: string, props: RegionDashboardProps) {
    super(scope, id);
    const { api, stateful, evidence, answering, relay, notifier, evaluator, alarms } = props;
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
    const functions = [...answering, relay, notifier, evaluator];
    const named = (of: (one: ServiceFunction) => IMetric) => functions.map(of);
    dashboard.addWidgets(
      graph(
        'Failed calls by function',
        named((one) => one.metricErrors({ ...sum, label: one.name })),
      ),
      graph(
        'Refused calls by function',
        named((one) => one.metricThrottles({ ...sum, label: one.name })),
      ),
    );
    dashboard.addWidgets(
      graph(
        'Duration by function, 99 of 100 (ms)',
        named((one) => one.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99), label: one.name })),
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
      graph('Age of the stream (ms)', [relay.metric('IteratorAge', longest)]),
      graph('Queues', [
        stateful.deliveries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'deliveries' }),
        stateful.deliveries.metricApproximateNumberOfMessagesDelayed({ ...longest, label: 'to be tried again' }),
        stateful.evaluations.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'evaluations' }),
        stateful.deadEvaluations.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'failed evaluations' }),
        stateful.deadDeliveries.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'crashed the notifier' }),
        stateful.relayFailures.metricApproximateNumberOfMessagesVisible({ ...longest, label: 'given up by the relay' }),
      ]),
    );
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: HALF, height: 6 });
