import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { EvidenceStore, pinLogicalId } from './constructs/evidence-store.ts';
import type { Stage } from './stages.ts';

/** The longest that the queue service keeps a message. */
const LONGEST_RETENTION = Duration.days(14);

/** What must survive every deployment: resources with a state, protected and kept on removal (design §1). */
export class StatefulStack extends Stack {
  readonly store: EvidenceStore;
  /** Where the relay's event source notes the stretches of the stream that it gave up on. */
  readonly relayFailures: Queue;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id, {
      description: `Delivery evidence, ${stage.name}: what is kept`,
      env: { region: stage.region },
      terminationProtection: true,
    });
    this.store = new EvidenceStore(this, 'Store', stage);
    this.relayFailures = this.#createQueue('RelayFailures');
  }

  #createQueue(id: string): Queue {
    const queue = new Queue(this, id, {
      retentionPeriod: LONGEST_RETENTION,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    pinLogicalId(queue, id);
    return queue;
  }
}
