import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  AlarmRule as Condition,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

interface AlarmRule {
  readonly metric: IMetric;
  /** The value that raises the alarm. */
  readonly threshold: number;
  /** How many periods of the metric are evaluated. @default 1 */
  readonly periods?: number;
  /** In how many of these periods the value must be reached. @default all of them */
  readonly breachingPeriods?: number;
  /** What users notice, in one sentence. The alarm and its section of the runbook show the sentence. */
  readonly impact: string;
  /** Whether a period without data counts as reaching the threshold. @default false */
  readonly isMissingDataBreaching?: boolean;
  /** Whether values at or below the threshold raise the alarm, instead of those at or above it. @default false */
  readonly isLowerBound?: boolean;
}

/** A metric and the value that raises a window of an alarm. */
interface Window {
  readonly metric: IMetric;
  readonly threshold: number;
}

/** Returns the section of the runbook that says what to do: it has the name of the alarm. */
const runbookSection = (alarm: string): string => `docs/runbook.md#${alarm.toLowerCase()}`;

/** One alarm per harm to users, mailed to the alarm address of the stage if there is one (rules/storage.md#operation). */
export class Alarms extends Construct {
  readonly #topic: Topic | undefined;
  readonly all: AlarmBase[] = [];

  constructor(scope: Construct, id: string, address: string | undefined) {
    super(scope, id);
    if (address === undefined) return;
    this.#topic = new Topic(this, 'Topic', { displayName: 'Delivery evidence: alarms', enforceSSL: true });
    this.#topic.addSubscription(new EmailSubscription(address));
    this.#topic.addToResourcePolicy(alarmsMayPublish(this.#topic));
  }

  /** Adds an alarm. The runbook must have a section with the same name. */
  add(name: string, rule: AlarmRule): AlarmBase {
    const periods = rule.periods ?? 1;
    return this.#mail(
      new Alarm(this, name, {
        metric: rule.metric,
        threshold: rule.threshold,
        evaluationPeriods: periods,
        datapointsToAlarm: rule.breachingPeriods ?? periods,
        comparisonOperator: rule.isLowerBound
          ? ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: rule.isMissingDataBreaching ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
        alarmDescription: described(name, rule.impact),
      }),
    );
  }

  /**
   * Adds an alarm that is raised while every window of one of the groups is raised. Windows have no text for users and mail nobody.
   *
   * @param windows groups of metrics with the value that raises them, by their names
   */
  addTogether(name: string, windows: readonly Readonly<Record<string, Window>>[], impact: string): void {
    const groups = windows.map((group) =>
      Condition.allOf(
        ...Object.entries(group).map(([window, { metric, threshold }]) => {
          const alarm = new Alarm(this, window, {
            metric,
            threshold,
            evaluationPeriods: 1,
            comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treatMissingData: TreatMissingData.NOT_BREACHING,
            alarmDescription: `A window of the alarm ${name}. It mails nobody by itself.`,
          });
          return Condition.fromAlarm(alarm, AlarmState.ALARM);
        }),
      ),
    );
    this.#mail(
      new CompositeAlarm(this, name, {
        alarmRule: Condition.anyOf(...groups),
        alarmDescription: described(name, impact),
      }),
    );
  }

  #mail(alarm: AlarmBase): AlarmBase {
    if (this.#topic) {
      alarm.addAlarmAction(new SnsAction(this.#topic));
      alarm.addOkAction(new SnsAction(this.#topic));
    }
    this.all.push(alarm);
    return alarm;
  }
}

const described = (name: string, impact: string): string => `${impact} What to do: ${runbookSection(name)}`;

/**
 * Lets the alarms of this account and region publish to a topic. A topic without a policy lets them, but a topic that
 * refuses requests without TLS has a policy of its own.
 */
function alarmsMayPublish(topic: Topic): PolicyStatement {
  const stack = Stack.of(topic);
  const alarms = stack.formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({
    sid: 'AlarmsMayPublish',
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: [topic.topicArn],
    conditions: {
      StringEquals: { 'aws:SourceAccount': stack.account },
      ArnLike: { 'aws:SourceArn': alarms },
    },
  });
}

/** The usual period of metrics. */
export const FIVE_MINUTES = Duration.minutes(5);
