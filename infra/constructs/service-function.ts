import type { Duration } from 'aws-cdk-lib';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundlingOf, ENGINES_PATH, entryOf, LOCK_FILE, PROJECT_ROOT } from './bundling.ts';

export interface ServiceFunctionProps {
  /** Folder below `functions/` whose `index.ts` exports `handler`. */
  readonly name: string;
  /** What the function is for, in a sentence. */
  readonly description: string;
  readonly timeout: Duration;
  /** In MB; computing power grows with it. */
  readonly memorySize: number;
  readonly logRetention: RetentionDays;
  /** Whether it runs caller-written programs; it is given the process to run them in. @default false */
  readonly engines?: boolean;
}

/** A function of the service as every one of them is: one runtime, one way to bundle, its own log, traced. */
export class ServiceFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      entry: entryOf(props.name),
      handler: 'handler',
      projectRoot: PROJECT_ROOT,
      depsLockFilePath: LOCK_FILE,
      bundling: bundlingOf(props.name, props.engines ?? false),
      timeout: props.timeout,
      memorySize: props.memorySize,
      tracing: Tracing.ACTIVE,
      logGroup: new LogGroup(scope, `${id}Log`, { retention: props.logRetention }),
      // A setting of an older SDK: connections are kept alive without it.
      awsSdkConnectionReuse: false,
    });
    if (props.engines) this.addEnvironment('ENGINES_PATH', ENGINES_PATH);
  }
}

/** The id of a function's construct: its name in Pascal case. */
export const constructId = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
