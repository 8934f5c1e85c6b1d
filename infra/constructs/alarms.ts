import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

export interface HarmProps {
  readonly metric: IMetric;
  /** The alarm goes off at this value. */
  readonly threshold: number;
  /** So many periods of the metric are looked at. @default 1 */
  readonly periods?: number;
  /** In so many of them the value must be reached. @default all of them */
  readonly periodsAtFault?: number;
  /** What users notice while it lasts, in a sentence; shown on the alarm and in the runbook. */
  readonly impact: string;
  /** Whether nothing heard is bad news. @default false */
  readonly silenceIsHarm?: boolean;
  /** Whether the alarm goes off at the threshold or below it. @default false */
  readonly below?: boolean;
}

/** Where the runbook says what to do: the section of an alarm has its name. */
export const runbookSection = (alarm: string): string => `docs/runbook.md#${alarm.toLowerCase()}`;

/** Alarms by harm to users, mailed to one address where there is one (design §7). */
export class Alarms extends Construct {
  readonly #topic: Topic | undefined;
  readonly all: Alarm[] = [];

  constructor(scope: Construct, id: string, address: string | undefined) {
    super(scope, id);
    if (address === undefined) return;
    this.#topic = new Topic(this, 'Topic', { displayName: 'Delivery evidence: alarms', enforceSSL: true });
    this.#topic.addSubscription(new EmailSubscription(address));
  }

  /** Adds the alarm `name`, whose section of the runbook has the same name. */
  add(name: string, harm: HarmProps): void {
    const periods = harm.periods ?? 1;
    const alarm = new Alarm(this, name, {
      metric: harm.metric,
      threshold: harm.threshold,
      evaluationPeriods: periods,
      datapointsToAlarm: harm.periodsAtFault ?? periods,
      comparisonOperator: harm.below
        ? ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: harm.silenceIsHarm ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `${harm.impact} What to do: ${runbookSection(name)}`,
    });
    if (this.#topic) {
      alarm.addAlarmAction(new SnsAction(this.#topic));
      alarm.addOkAction(new SnsAction(this.#topic));
    }
    this.all.push(alarm);
  }
}

/** The period of everything that is not looked at more closely. */
export const FIVE_MINUTES = Duration.minutes(5);
