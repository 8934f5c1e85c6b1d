import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EVALUATOR_USES } from '#functions/evaluator/uses.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { EXPORTER_USES } from '#functions/exporter/uses.ts';
import { INTEGRATOR_USES } from '#functions/integrator/uses.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  type QueueDefinition,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { RELAY_FILTER, RELAY_SOURCE } from '../event-source.ts';
import { type RuleName, ruleName } from '../names.ts';
import type { Stage } from '../stages/settings.ts';
import type { StatefulStack } from '../stateful-stack.ts';
import { grantUses } from './evidence-access.ts';
import type { Evidence } from './evidence-store.ts';
import type { ServiceFunction } from './service-function.ts';

/** How often the relay sweeps for events that the stream did not bring (rules/storage.md#sweeps). */
const SWEEP_EVERY = Duration.minutes(5);
/** How often the integrator continues its rounds over all logs (rules/log.md#rounds). */
const LOGS_EVERY = Duration.minutes(5);
/** How often the relay sweeps for deliveries that are due and for evaluations that wait (rules/storage.md#sweeps). */
const DUE_EVERY = Duration.minutes(1);

/** How often the notifier looks whether the public trust root is to be refreshed (rules/verified-evidence.md#refresh). */
const ROOT_EVERY = Duration.hours(1);

/**
 * A schedule calls a function again soon, so a call that fails or waits is not repeated: repetitions would only add to the load that
 * made it fail (rules/storage.md#sweeps).
 */
const CALLED_ONCE = { retryAttempts: 0, maxEventAge: Duration.seconds(60) };

interface EventPipelineProps {
  readonly stage: Stage;
  readonly stateful: StatefulStack;
  readonly evidence: Evidence;
  /** Called by the stream of the table, by the queue of visits and by two schedules. */
  readonly relay: ServiceFunction;
  /** Called by the queue of deliveries and by a schedule. */
  readonly notifier: ServiceFunction;
  /** Called by the queue of expansions. */
  readonly expander: ServiceFunction;
  /** Called by the queue of evaluations. */
  readonly evaluator: ServiceFunction;
  /** Called by the queue of entries for logs and by a schedule. */
  readonly integrator: ServiceFunction;
  /** Called by the queue of exports. */
  readonly exporter: ServiceFunction;
  /** Scheme and authority of the API, for addresses that functions write. */
  readonly address: string;
  /** The end of the origins of logs (rules/log.md#origin). */
  readonly logDomain: string;
}

/**
 * Everything that starts at the stream of the table (rules/storage.md#stream-and-relay). The relay reads the stream. It
 * sends a message per delivery to the notifier, a message per environment with new snapshots to the expander, a message per
 * evaluation to the evaluator, messages with the entries of an organization's log to the integrator, and a message per
 * export to the exporter. Its sweeps send a message per organization to the relay itself.
 */
export class EventPipeline extends Construct {
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, props: EventPipelineProps) {
    super(scope, id);
    const { relay } = props;
    this.#stage = props.stage;
    this.#readStream(props);
    this.#consumeDeliveries(props);
    this.#consumeExpansions(props);
    this.#consumeEvaluations(props);
    this.#consumeLogEntries(props);
    this.#consumeExports(props);
    for (const scheduled of [relay, props.integrator, props.notifier]) scheduled.configureAsyncInvoke(CALLED_ONCE);
    this.#schedule(
      'Sweep',
      'sweep-events',
      'Asks for visits of the organizations in which something happened',
      SWEEP_EVERY,
      relay,
    );
    this.#schedule('DueSweep', 'sweep-due', 'Sends deliveries whose time has come', DUE_EVERY, relay, {
      sweep: 'due',
    });
    this.#schedule(
      'LogSweep',
      'sweep-logs',
      'Compares logs with what was published, and asks for missing cosignatures',
      LOGS_EVERY,
      props.integrator,
      {
        sweep: 'logs',
      },
    );
    this.#refreshRoot(props.notifier);
  }

  /** The event source halves a failing batch until it has found the failing record (rules/storage.md#event-source). */
  #readStream({
    evidence,
    relay,
    stateful: { relayFailures, deliveries, expansions, evaluations, logEntries, exports, visits },
  }: EventPipelineProps): void {
    grantUses(evidence, relay, RELAY_USES, 'nobody');
    grantSend(relay, deliveries, 'DELIVERIES_URL');
    grantSend(relay, expansions, 'EXPANSIONS_URL');
    grantSend(relay, evaluations, 'EVALUATIONS_URL');
    grantSend(relay, logEntries, 'LOG_ENTRIES_URL');
    grantSend(relay, exports, 'EXPORTS_URL');
    grantSend(relay, visits, 'VISITS_URL');
    readQueue(relay, 'Visits', visits, { ...VISITS_QUEUE, calls: this.#stage.visitsConcurrency });
    grantStream(relay, evidence.streamArn);
    relay.addEventSourceMapping('Stream', {
      eventSourceArn: evidence.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter(RELAY_FILTER)],
      batchSize: RELAY_SOURCE.batch,
      parallelizationFactor: this.#stage.streamParallelization,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: RELAY_SOURCE.retries,
      onFailure: new SqsDlq(relayFailures),
    });
  }

  #consumeDeliveries({
    evidence,
    stateful: { deliveries },
    notifier,
    address,
    stage: { mailSender },
  }: EventPipelineProps): void {
    grantUses(evidence, notifier, NOTIFIER_USES, 'nobody');
    grantSend(notifier, deliveries, 'DELIVERIES_URL');
    readQueue(notifier, 'Deliveries', deliveries, { ...DELIVERIES_QUEUE, calls: this.#stage.deliveriesConcurrency });
    notifier.addEnvironment('PUBLIC_URL', address);
    if (mailSender !== undefined) grantMail(notifier, mailSender);
  }

  #consumeExpansions({ evidence, stateful: { deliveries, expansions }, expander }: EventPipelineProps): void {
    grantUses(evidence, expander, EXPANDER_USES, 'nobody');
    grantSend(expander, deliveries, 'DELIVERIES_URL');
    grantSend(expander, expansions, 'EXPANSIONS_URL');
    readQueue(expander, 'Expansions', expansions, { ...EXPANSIONS_QUEUE, calls: this.#stage.expansionsConcurrency });
  }

  #consumeEvaluations({ evidence, stateful: { evaluations }, evaluator, address }: EventPipelineProps): void {
    grantUses(evidence, evaluator, EVALUATOR_USES, 'nobody');
    evaluator.addEnvironment('PUBLIC_URL', address);
    readQueue(evaluator, 'Evaluations', evaluations, {
      ...EVALUATIONS_QUEUE,
      calls: this.#stage.evaluationsConcurrency,
    });
  }

  #consumeLogEntries({ evidence, stateful: { logEntries }, integrator, ...props }: EventPipelineProps): void {
    grantUses(evidence, integrator, INTEGRATOR_USES, 'nobody');
    grantSend(integrator, logEntries, 'LOG_ENTRIES_URL');
    readQueue(integrator, 'LogEntries', logEntries, { ...LOG_ENTRIES_QUEUE, calls: this.#stage.logEntriesConcurrency });
    integrator.addEnvironment('LOG_DOMAIN', props.logDomain);
    const { witnessPolicy, witnessSeconds, maxSignaturesPerSecond } = this.#stage;
    integrator.addEnvironment('SIGNATURES_PER_SECOND', `${maxSignaturesPerSecond}`);
    if (witnessPolicy === undefined) return;
    integrator.addEnvironment('WITNESS_POLICY', witnessPolicy);
    integrator.addEnvironment('WITNESS_SECONDS', `${witnessSeconds}`);
  }

  #consumeExports({ evidence, stateful: { exports }, exporter, stage: { witnessPolicy } }: EventPipelineProps): void {
    grantUses(evidence, exporter, EXPORTER_USES, 'nobody');
    grantSend(exporter, exports, 'EXPORTS_URL');
    readQueue(exporter, 'Exports', exports, { ...EXPORTS_QUEUE, calls: this.#stage.exportsConcurrency });
    if (witnessPolicy !== undefined) exporter.addEnvironment('WITNESS_POLICY', witnessPolicy);
  }

  /** The notifier calls other hosts already, by the guarded way out, and may do little else. */
  #refreshRoot(notifier: ServiceFunction): void {
    const { rootRepository } = this.#stage;
    if (rootRepository === undefined) return;
    notifier.addEnvironment('ROOT_REPOSITORY', rootRepository);
    const what = 'Refreshes the public trust root once a day, and tries again what failed';
    this.#schedule('RootRefresh', 'refresh-root', what, ROOT_EVERY, notifier, { sweep: 'public-root' });
  }

  #schedule(
    id: string,
    name: RuleName,
    description: string,
    every: Duration,
    target: ServiceFunction,
    event?: object,
  ): void {
    new Rule(this, id, {
      ruleName: ruleName(this.#stage.name, name),
      description,
      schedule: Schedule.rate(every),
      targets: [
        new LambdaFunction(target, { ...CALLED_ONCE, ...(event && { event: RuleTargetInput.fromObject(event) }) }),
      ],
    });
  }
}

/**
 * Grants the right to read the stream of the table. The grant of the CDK would add a right on the table's key that is not
 * limited to calls of the database; the rights of the table's user cover the key already.
 */
function grantStream(reader: ServiceFunction, streamArn: string): void {
  reader.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
  reader.addToRolePolicy(
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [streamArn],
    }),
  );
}

/** Lets a function read a queue, with the settings of the queue's definition. Only failed messages of a batch come again. */
function readQueue(
  reader: ServiceFunction,
  id: string,
  queue: Queue,
  { batch, calls, window }: Pick<QueueDefinition, 'batch' | 'calls' | 'window'>,
): void {
  queue.grantConsumeMessages(reader);
  reader.addEventSourceMapping(id, {
    eventSourceArn: queue.queueArn,
    batchSize: batch,
    ...(window !== undefined && { maxBatchingWindow: Duration.seconds(window) }),
    maxConcurrency: calls,
    reportBatchItemFailures: true,
  });
}

/** Grants the right to send messages to a queue, and puts the address of the queue into the function's settings. */
function grantSend(
  sender: ServiceFunction,
  queue: Queue,
  setting: 'DELIVERIES_URL' | 'EXPANSIONS_URL' | 'EVALUATIONS_URL' | 'LOG_ENTRIES_URL' | 'EXPORTS_URL' | 'VISITS_URL',
): void {
  sender.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
  sender.addEnvironment(setting, queue.queueUrl);
}

/**
 * Grants the right to send mail from one address, and puts the address into the function's settings. The mail service
 * accepts the address if the address itself or its domain is a verified identity; the right covers both.
 */
function grantMail(sender: ServiceFunction, address: string): void {
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
