import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DELIVERIES_QUEUE, EVALUATIONS_QUEUE, type QueueDefinition } from '#shared/queues/queue-definition.ts';
import { EvidenceStore, pinLogicalId } from './constructs/evidence-store.ts';
import { excuse } from './policy-checks.ts';
import type { Stage } from './stages.ts';

export interface StatefulStackProps extends StackProps {
  readonly stage: Stage;
}

/** What must survive every deployment: resources with a state, protected and kept on removal (design §1). */
export class StatefulStack extends Stack {
  readonly store: EvidenceStore;
  /** Messages that say which deliveries are to be attempted. */
  readonly deliveries: Queue;
  /** Where messages go that crashed the notifier. */
  readonly deadDeliveries: Queue;
  /** Messages that say which evaluations are to be worked on. */
  readonly evaluations: Queue;
  /** Where messages go that crashed the evaluator. */
  readonly deadEvaluations: Queue;
  /** Where the relay's event source notes the stretches of the stream that it gave up on. */
  readonly relayFailures: Queue;

  constructor(scope: Construct, id: string, { stage, ...props }: StatefulStackProps) {
    super(scope, id, {
      ...props,
      description: `Delivery evidence, ${stage.name}: what is kept`,
      terminationProtection: true,
    });
    this.store = new EvidenceStore(this, 'Store', stage);
    this.relayFailures = this.#createQueue('RelayFailures');
    excuse(this.relayFailures, 'SQS3', 'It is the end of the line: what the relay gave up on, for people to look at.');
    this.deadDeliveries = this.#createQueue('DeadDeliveries');
    this.deliveries = this.#createQueue('Deliveries', { of: DELIVERIES_QUEUE, dead: this.deadDeliveries });
    this.deadEvaluations = this.#createQueue('DeadEvaluations');
    this.evaluations = this.#createQueue('Evaluations', { of: EVALUATIONS_QUEUE, dead: this.deadEvaluations });
  }

  /** A queue that functions work on is made by its definition; one without is the end of the line. */
  #createQueue(id: string, worked?: { of: QueueDefinition; dead: Queue }): Queue {
    const queue = new Queue(this, id, {
      retentionPeriod: Duration.seconds((worked?.of ?? DELIVERIES_QUEUE).retention),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      ...(worked && {
        deadLetterQueue: { queue: worked.dead, maxReceiveCount: worked.of.receipts },
        visibilityTimeout: Duration.seconds(worked.of.visibility),
      }),
    });
    pinLogicalId(queue, id);
    return queue;
  }
}
