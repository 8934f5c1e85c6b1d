import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EVALUATOR_USES } from '#functions/evaluator/uses.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { DELIVERIES_QUEUE, EVALUATIONS_QUEUE } from '#shared/queues/queue-definition.ts';
import type { StatefulStack } from '../stateful-stack.ts';
import { grantUses } from './evidence-access.ts';
import type { Evidence } from './evidence-store.ts';
import type { ServiceFunction } from './service-function.ts';

/** How often the relay looks for events that the stream did not bring (design §2.7). */
const SWEEP_EVERY = Duration.minutes(5);
/** How often deliveries are looked for whose time has come, and evaluations that still wait (design §6). */
const DUE_EVERY = Duration.minutes(1);

export interface EventPipelineProps {
  readonly stateful: StatefulStack;
  readonly evidence: Evidence;
  /** On the table's stream and on both schedules. */
  readonly relay: ServiceFunction;
  /** On the queue of deliveries. */
  readonly notifier: ServiceFunction;
  /** On the queue of evaluations. */
  readonly evaluator: ServiceFunction;
  /** Scheme and authority of the API, for addresses in what is sent. */
  readonly address: string;
  /** Verified sender of mail; none is sent without. */
  readonly mailSender: string | undefined;
}

/**
 * What begins with the table's stream: the relay makes events into deliveries, which the notifier makes (design §6), and
 * has the evaluator do what evaluations are asked for.
 */
export class EventPipeline extends Construct {
  readonly sweep: Rule;
  readonly dueSweep: Rule;

  constructor(scope: Construct, id: string, props: EventPipelineProps) {
    super(scope, id);
    const { relay } = props;
    this.#readStream(props);
    this.#deliver(props);
    this.#evaluate(props);
    this.sweep = this.#schedule('Sweep', 'Relays what the stream did not bring', SWEEP_EVERY, relay);
    this.dueSweep = this.#schedule('DueSweep', 'Sends deliveries whose time has come', DUE_EVERY, relay, {
      sweep: 'due',
    });
  }

  /**
   * A batch that fails is cut down to the record at fault; what is given up on is noted in a queue, and the sweep still
   * finds it by time (design §2.7).
   */
  #readStream({ evidence, relay, stateful: { relayFailures, deliveries, evaluations } }: EventPipelineProps): void {
    grantUses(evidence, relay, RELAY_USES, 'nobody');
    letSend(relay, deliveries, 'DELIVERIES_URL');
    letSend(relay, evaluations, 'EVALUATIONS_URL');
    evidence.table.grantStreamRead(relay);
    relay.addEventSourceMapping('Stream', {
      eventSourceArn: evidence.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 10,
      onFailure: new SqsDlq(relayFailures),
    });
  }

  #deliver({ evidence, stateful: { deliveries }, notifier, address, mailSender }: EventPipelineProps): void {
    grantUses(evidence, notifier, NOTIFIER_USES, 'nobody');
    letSend(notifier, deliveries, 'DELIVERIES_URL');
    deliveries.grantConsumeMessages(notifier);
    notifier.addEventSourceMapping('Deliveries', {
      eventSourceArn: deliveries.queueArn,
      batchSize: DELIVERIES_QUEUE.batch,
      maxConcurrency: DELIVERIES_QUEUE.calls,
      reportBatchItemFailures: true,
    });
    notifier.addEnvironment('PUBLIC_URL', address);
    if (mailSender !== undefined) letMail(notifier, mailSender);
  }

  #evaluate({ evidence, stateful: { evaluations }, evaluator }: EventPipelineProps): void {
    grantUses(evidence, evaluator, EVALUATOR_USES, 'nobody');
    evaluations.grantConsumeMessages(evaluator);
    evaluator.addEventSourceMapping('Evaluations', {
      eventSourceArn: evaluations.queueArn,
      batchSize: EVALUATIONS_QUEUE.batch,
      maxConcurrency: EVALUATIONS_QUEUE.calls,
      reportBatchItemFailures: true,
    });
  }

  #schedule(id: string, description: string, every: Duration, relay: ServiceFunction, event?: object): Rule {
    return new Rule(this, id, {
      description,
      schedule: Schedule.rate(every),
      targets: [new LambdaFunction(relay, event && { event: RuleTargetInput.fromObject(event) })],
    });
  }
}

/** Lets a function send messages to a queue, and tells it by a setting where the queue is. */
function letSend(sender: ServiceFunction, queue: Queue, setting: 'DELIVERIES_URL' | 'EVALUATIONS_URL'): void {
  queue.grantSendMessages(sender);
  sender.addEnvironment(setting, queue.queueUrl);
}

/** Lets a function send mail from one address, whose own identity or that of its domain is verified, and tells it so. */
function letMail(sender: ServiceFunction, address: string): void {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  sender.addToRolePolicy(
    new PolicyStatement({
      sid: 'SendMail',
      actions: ['ses:SendEmail'],
      resources: [address, domain].map((resourceName) =>
        Stack.of(sender).formatArn({ service: 'ses', resource: 'identity', resourceName }),
      ),
      conditions: { StringEquals: { 'ses:FromAddress': address } },
    }),
  );
  sender.addEnvironment('MAIL_SENDER', address);
}
