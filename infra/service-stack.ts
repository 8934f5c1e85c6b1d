import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { Gateway } from './constructs/gateway.ts';
import { constructId, ServiceFunction, type ServiceFunctionProps } from './constructs/service-function.ts';
import type { Stage } from './stages.ts';
import type { StatefulStack } from './stateful-stack.ts';

/** Just below what the gateway waits for, and above the 20 s that a contended write tries again for (design §2.3). */
const API_TIMEOUT = Duration.seconds(29);
const RELAY_TIMEOUT = Duration.seconds(60);
/** How often the relay looks for events that the stream did not bring (design §2.7). */
const SWEEP_EVERY = Duration.minutes(5);
const OPERATOR_TIMEOUT = Duration.minutes(15);

/** The groups that run caller-written programs: custom types check them, attestations evaluate them. */
export const ENGINE_GROUPS: ReadonlySet<string> = new Set(['attestations', 'custom-attestation-types']);

export interface ServiceStackProps {
  readonly stage: Stage;
  readonly stateful: StatefulStack;
  readonly groups: readonly EndpointGroup[];
}

/** What runs: a function per endpoint group behind the gateway, the relay on the stream, the operator's function. */
export class ServiceStack extends Stack {
  readonly #stage: Stage;
  readonly #stateful: StatefulStack;

  constructor(scope: Construct, id: string, { stage, stateful, groups }: ServiceStackProps) {
    super(scope, id, {
      description: `Delivery evidence, ${stage.name}: what runs`,
      env: { region: stage.region },
    });
    this.#stage = stage;
    this.#stateful = stateful;
    this.#addApi(groups);
    this.#addRelay();
    this.#addOperator();
  }

  #addApi(groups: readonly EndpointGroup[]): void {
    const unknownRoute = this.#addFunction({
      name: 'unknown-route',
      description: 'Answers what no endpoint has',
      timeout: Duration.seconds(3),
      memorySize: 256,
    });
    const gateway = new Gateway(this, 'Gateway', { stage: this.#stage, unknownRoute });
    for (const group of groups) gateway.serve(group, this.#addGroup(group));
  }

  #addGroup(group: EndpointGroup): ServiceFunction {
    const engines = ENGINE_GROUPS.has(group.name);
    const handler = this.#addFunction({
      name: group.name,
      description: `Endpoints: ${group.name}`,
      timeout: API_TIMEOUT,
      // The engines' child process has a memory of its own beside the function's.
      memorySize: engines ? 1769 : 1024,
      engines,
    });
    const { store } = this.#stateful;
    if (group.endpoints.every(({ method }) => method === 'GET')) store.letRead(handler);
    else store.letWrite(handler);
    return handler;
  }

  /**
   * The relay turns events into effects (design §2.7). A batch that fails is cut down to the record at fault; what is
   * given up on is noted in a queue, and the sweep still finds it by time.
   */
  #addRelay(): void {
    const { store, relayFailures } = this.#stateful;
    const relay = this.#addFunction({
      name: 'relay',
      description: 'Relays events from the stream of the table',
      timeout: RELAY_TIMEOUT,
      memorySize: 1024,
    });
    store.letWrite(relay);
    store.table.grantStreamRead(relay);
    relay.addEventSourceMapping('Stream', {
      eventSourceArn: store.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 10,
      onFailure: new SqsDlq(relayFailures),
    });
    new Rule(this, 'Sweep', {
      description: 'Relays what the stream did not bring',
      schedule: Schedule.rate(SWEEP_EVERY),
      targets: [new LambdaFunction(relay)],
    });
  }

  /** Not on the gateway and without a policy that lets anybody in: it is reached by those whom IAM lets invoke it. */
  #addOperator(): void {
    const operator = this.#addFunction({
      name: 'operator',
      description: 'What operators do: organizations, users, features, first keys',
      timeout: OPERATOR_TIMEOUT,
      memorySize: 1024,
    });
    this.#stateful.store.letWrite(operator);
    new CfnOutput(this, 'OperatorFunctionName', { value: operator.functionName });
  }

  #addFunction(props: Omit<ServiceFunctionProps, 'logRetention'>): ServiceFunction {
    return new ServiceFunction(this, constructId(props.name), { ...props, logRetention: this.#stage.logRetentionDays });
  }
}
