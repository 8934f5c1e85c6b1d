import { Duration, RemovalPolicies, Stack, type StackProps } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  type QueueDefinition,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { EvidenceStore } from './constructs/evidence-store.ts';
import { KEPT } from './constructs/kept.ts';
import { pinLogicalId } from './constructs/pin-logical-id.ts';
import { acceptFinding } from './policy-checks.ts';
import type { Stage } from './stages/settings.ts';

interface StatefulStackProps extends StackProps {
  readonly stage: Stage;
}

/** Every resource of a region that has a state: protected from deletion and kept on removal (rules/storage.md#regions). */
export class StatefulStack extends Stack {
  readonly store: EvidenceStore;
  /** Each message names a delivery that the notifier attempts (rules/storage.md#queues). */
  readonly deliveries: Queue;
  /** Messages on which the notifier failed five times. */
  readonly deadDeliveries: Queue;
  /** Each message names an environment with work for the expander. */
  readonly expansions: Queue;
  /** Messages on which the expander failed five times. */
  readonly deadExpansions: Queue;
  /** Each message names an evaluation for the evaluator. */
  readonly evaluations: Queue;
  /** Messages on which the evaluator failed five times. */
  readonly deadEvaluations: Queue;
  /** Each message carries entries for the log of an organization. */
  readonly logEntries: Queue;
  /** Messages on which the integrator failed five times. */
  readonly deadLogEntries: Queue;
  /** Each message names an export for the exporter. */
  readonly exports: Queue;
  /** Messages on which the exporter failed five times. */
  readonly deadExports: Queue;
  /** Each message names an organization that the sweeps have to visit. */
  readonly visits: Queue;
  /** Messages on which the relay failed five times. */
  readonly deadVisits: Queue;
  /** Each message names a range of the stream that the relay's event source gave up on. */
  readonly relayFailures: Queue;

  constructor(scope: Construct, id: string, { stage, ...props }: StatefulStackProps) {
    super(scope, id, {
      ...props,
      description: `Delivery evidence, ${stage.name}: stored data`,
      terminationProtection: true,
    });
    this.store = new EvidenceStore(this, 'Store', stage);
    this.relayFailures = this.#createQueue('RelayFailures');
    acceptFinding(this.relayFailures, 'SQS3', 'This is a dead-letter queue itself; operators read its messages.');
    this.deadDeliveries = this.#createQueue('DeadDeliveries');
    this.deliveries = this.#createQueue('Deliveries', { of: DELIVERIES_QUEUE, dead: this.deadDeliveries });
    this.deadExpansions = this.#createQueue('DeadExpansions');
    this.expansions = this.#createQueue('Expansions', { of: EXPANSIONS_QUEUE, dead: this.deadExpansions });
    this.deadEvaluations = this.#createQueue('DeadEvaluations');
    this.evaluations = this.#createQueue('Evaluations', { of: EVALUATIONS_QUEUE, dead: this.deadEvaluations });
    this.deadLogEntries = this.#createQueue('DeadLogEntries');
    this.logEntries = this.#createQueue('LogEntries', { of: LOG_ENTRIES_QUEUE, dead: this.deadLogEntries });
    this.deadExports = this.#createQueue('DeadExports');
    this.exports = this.#createQueue('Exports', { of: EXPORTS_QUEUE, dead: this.deadExports });
    this.deadVisits = this.#createQueue('DeadVisits');
    this.visits = this.#createQueue('Visits', { of: VISITS_QUEUE, dead: this.deadVisits });
  }

  /** @param worked definition and dead-letter queue of a queue that a function reads; absent for a dead-letter queue */
  #createQueue(id: string, worked?: { of: QueueDefinition; dead: Queue }): Queue {
    const queue = new Queue(this, id, {
      retentionPeriod: Duration.seconds((worked?.of ?? DELIVERIES_QUEUE).retention),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      ...(worked && {
        deadLetterQueue: { queue: worked.dead, maxReceiveCount: worked.of.receipts },
        visibilityTimeout: Duration.seconds(worked.of.visibility),
      }),
    });
    pinLogicalId(queue, id);
    // The policy too: the queue outlives its stack, and must then still refuse requests without TLS.
    RemovalPolicies.of(queue).apply(KEPT);
    return queue;
  }
}
