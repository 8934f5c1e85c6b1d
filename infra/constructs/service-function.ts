import type { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ENGINES_FOLDER, POLICIES_FOLDER } from '../bundles/bundle.ts';
import { excuse } from '../policy-checks.ts';

/** Functions are unpacked to this folder. */
const TASK_ROOT = '/var/task';

export interface ServiceFunctionProps {
  /** Folder below `functions/`. */
  readonly name: string;
  /** What it is called in the account. @default what the toolkit makes of its place */
  readonly functionName?: string;
  /** What the function is for, in a sentence. */
  readonly description: string;
  /** The archive that is uploaded for the function. */
  readonly zip: string;
  readonly timeout: Duration;
  /** In MB; computing power grows with it. */
  readonly memorySize: number;
  readonly logRetention: RetentionDays;
  /** Whether it runs caller-written programs; it is given the process to run them in. @default false */
  readonly engines?: boolean;
  /** Whether it evaluates policies; it is given the process to evaluate them in. @default false */
  readonly policies?: boolean;
  /** Executions at once that it has for itself and may not exceed. @default those of the account, with all others */
  readonly reservedConcurrency?: number;
}

/** A function of the service as every one of them is: one runtime, one way to bundle, its own log, traced. */
export class ServiceFunction extends LambdaFunction {
  readonly name: string;
  /** The function's own log. */
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const log = new LogGroup(scope, `${id}Log`, { retention: props.logRetention });
    // A role of its own: the one that the library would make may write to every log of the account.
    const role = new Role(scope, `${id}Role`, {
      description: `What the function ${props.name} may do`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(props.zip),
      handler: 'index.handler',
      timeout: props.timeout,
      memorySize: props.memorySize,
      tracing: Tracing.ACTIVE,
      logGroup: log,
      role,
      ...(props.functionName !== undefined && { functionName: props.functionName }),
      ...(props.reservedConcurrency !== undefined && { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    log.grantWrite(role);
    excuse(
      role,
      'IAM5[Resource::*]',
      'Traces are written to no resource that could be named, and neither can streams be listed by name.',
    );
    this.name = props.name;
    this.log = log;
    if (props.engines) this.addEnvironment('ENGINES_PATH', `${TASK_ROOT}/${ENGINES_FOLDER}`);
    if (props.policies) this.addEnvironment('POLICIES_PATH', `${TASK_ROOT}/${POLICIES_FOLDER}`);
  }
}

/** The id of a function's construct: its name in Pascal case. */
export const constructId = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
