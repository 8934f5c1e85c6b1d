import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { onlyReads, type Uses, usesForCaller, usesTogether } from '#shared/table/uses.ts';
import { ENGINE_GROUPS, POLICY_FUNCTIONS } from './bundles/bundle.ts';
import { EventPipeline } from './constructs/event-pipeline.ts';
import { grantUses } from './constructs/evidence-access.ts';
import type { Evidence } from './constructs/evidence-store.ts';
import { Gateway } from './constructs/gateway.ts';
import { constructId, ServiceFunction, type ServiceFunctionProps } from './constructs/service-function.ts';
import { grantSignIn } from './constructs/sign-in.ts';
import { signingRoleName } from './constructs/signing-keys.ts';
import { reservations } from './reservations.ts';
import { limitsOf } from './stages/limits.ts';
import type { Stage } from './stages/settings.ts';
import type { StatefulStack } from './stateful-stack.ts';

/** The gateway gives up after 30 s; a write that loses races is retried for 20 s (rules/storage.md#lost-races). */
const API_TIMEOUT = Duration.seconds(29);
const RELAY_TIMEOUT = Duration.seconds(60);
const OPERATOR_TIMEOUT = Duration.minutes(15);
/** The function that answers requests without an endpoint. */
export const UNKNOWN_ROUTE = 'unknown-route';
/** In MB. The child process for programs of callers needs memory in addition to the function. */
const MEMORY_WITH_CHILD = 1769;

interface ServiceStackProps extends StackProps {
  readonly stage: Stage;
  readonly stateful: StatefulStack;
  readonly groups: readonly EndpointGroup[];
  /** Returns the path of a function's archive. */
  readonly zipOf: (name: string) => string;
}

/**
 * Everything of a region that has no state: the gateway with its functions, the relay on the stream, notifier,
 * expander and evaluator on their queues, the operator function. Other stacks must not use its exports: CloudFormation
 * refuses to change an export that is in use.
 */
export class ServiceStack extends Stack {
  readonly #stage: Stage;
  readonly #evidence: Evidence;
  readonly #zipOf: (name: string) => string;
  /** Reserved executions by the name of the function. */
  readonly #reserved: ReadonlyMap<string, number>;
  /** Every function by its name. */
  readonly functions = new Map<string, ServiceFunction>();

  constructor(scope: Construct, id: string, { stage, stateful, groups, zipOf, ...props }: ServiceStackProps) {
    super(scope, id, { ...props, description: `Delivery evidence, ${stage.name}: gateway and functions` });
    this.#stage = stage;
    this.#evidence = stateful.store;
    this.#zipOf = zipOf;
    this.#reserved = reservations(stage, groups);
    const gateway = this.#addApi(groups);
    const relay = this.#addFunction({
      name: 'relay',
      description: 'Applies the effects of events in the stream of the table, and runs the sweeps',
      timeout: RELAY_TIMEOUT,
      memorySize: 1024,
    });
    const notifier = this.#addFunction({
      name: 'notifier',
      description: 'Sends notifications to hosts that callers name',
      timeout: Duration.seconds(DELIVERIES_QUEUE.timeout),
      memorySize: 512,
    });
    const expander = this.#addFunction({
      name: 'expander',
      description: 'Applies the effects of snapshots in pieces, apart from the stream',
      timeout: Duration.seconds(EXPANSIONS_QUEUE.timeout),
      memorySize: 1024,
    });
    const evaluator = this.#addFunction({
      name: 'evaluator',
      description: 'Evaluates policies on trails and records decisions',
      timeout: Duration.seconds(EVALUATIONS_QUEUE.timeout),
      memorySize: MEMORY_WITH_CHILD,
      policies: true,
    });
    const integrator = this.#addFunction({
      name: 'integrator',
      description: 'Appends entries to the logs of organizations, publishes checkpoints and asks witnesses',
      timeout: Duration.seconds(LOG_ENTRIES_QUEUE.timeout),
      memorySize: 1024,
    });
    const exporter = this.#addFunction({
      name: 'exporter',
      description: 'Makes exports of organizations in steps',
      timeout: Duration.seconds(EXPORTS_QUEUE.timeout),
      memorySize: 1024,
    });
    const { address } = gateway;
    const evidence = this.#evidence;
    const workers = { relay, notifier, expander, evaluator, integrator, exporter };
    const { logDomain } = gateway;
    new EventPipeline(this, 'Pipeline', {
      stage,
      stateful,
      evidence,
      ...workers,
      address,
      logDomain,
    });
    this.#addOperator(gateway);
  }

  #addApi(groups: readonly EndpointGroup[]): Gateway {
    const unknownRoute = this.#addFunction({
      name: UNKNOWN_ROUTE,
      description: 'Answers requests that no endpoint matches',
      timeout: Duration.seconds(3),
      memorySize: 256,
    });
    const gateway = new Gateway(this, 'Gateway', { stage: this.#stage, unknownRoute });
    const handlers = new Map(groups.map((group) => [group, this.#addGroup(group, gateway)]));
    gateway.serve(handlers);
    new CfnOutput(this, 'ApiUrl', {
      description: 'Address of the API',
      value: `${gateway.address}${BASE_PATH}`,
    });
    return gateway;
  }

  #addGroup(group: EndpointGroup, { address, logDomain }: Gateway): ServiceFunction {
    const engines = ENGINE_GROUPS.has(group.name);
    const policies = POLICY_FUNCTIONS.has(group.name);
    const handler = this.#addFunction({
      name: group.name,
      description: `Endpoints: ${group.name}`,
      timeout: API_TIMEOUT,
      memorySize: engines || policies ? MEMORY_WITH_CHILD : 1024,
      engines,
      policies,
    });
    const uses = usesTogether(group.endpoints.map(usesOfEndpoint));
    const isPublic = group.endpoints.every(({ access }) => access === 'public');
    grantUses(this.#evidence, handler, uses, isPublic ? 'anybody' : 'callers');
    if (!isPublic || !onlyReads(uses)) handler.addEnvironment('PUBLIC_URL', address);
    if (!isPublic) handler.addEnvironment('REQUEST_LIMITS', JSON.stringify(limitsOf(this.#stage)));
    if (uses.keys.includes('log:read')) {
      handler.addEnvironment('LOG_DOMAIN', logDomain);
      addSetting(handler, 'WITNESS_POLICY', this.#stage.witnessPolicy);
    }
    grantSignIn(handler, group.name, this.#stage);
    if (uses.keys.includes('witness:sign')) addSetting(handler, 'WITNESS_LOGS', this.#stage.witnessedLogs);
    return handler;
  }

  /** The operator function has no route and no resource policy: only principals with an IAM right can invoke it. */
  #addOperator({ address, logDomain }: Gateway): void {
    const operator = this.#addFunction({
      name: 'operator',
      description: 'Runs the commands of operators: organizations, users, features, first keys, erasures, logs',
      timeout: OPERATOR_TIMEOUT,
      memorySize: 1024,
    });
    grantUses(this.#evidence, operator, OPERATOR_USES, 'operators');
    operator.addEnvironment('REQUEST_LIMITS', JSON.stringify(limitsOf(this.#stage)));
    operator.addEnvironment('PUBLIC_URL', address);
    operator.addEnvironment('LOG_DOMAIN', logDomain);
    new CfnOutput(this, 'OperatorFunctionName', {
      description: 'The function that operators invoke',
      value: operator.functionName,
    });
  }

  #addFunction(
    props: Omit<ServiceFunctionProps, 'logRetention' | 'reservedConcurrency' | 'roleName' | 'stageName' | 'zip'>,
  ): ServiceFunction {
    const added = new ServiceFunction(this, constructId(props.name), {
      ...props,
      stageName: this.#stage.name,
      zip: this.#zipOf(props.name),
      roleName: signingRoleName(this.#stage.name, props.name),
      reservedConcurrency: this.#reserved.get(props.name),
      logRetention: this.#stage.logRetentionDays,
    });
    this.functions.set(props.name, added);
    return added;
  }
}

/** Adds a setting that may be absent. */
function addSetting(user: ServiceFunction, name: string, value: string | undefined): void {
  if (value !== undefined) user.addEnvironment(name, value);
}

/** A public endpoint has no caller whose answers could be stored. */
const usesOfEndpoint = ({ access, uses = {} }: Endpoint): Uses => (access === 'public' ? uses : usesForCaller(uses));
