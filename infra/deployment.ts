import { App, Stage as DeploymentStage, PermissionsBoundary, Tags } from 'aws-cdk-lib';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { stackName } from './names.ts';
import { ServiceStack } from './service-stack.ts';
import type { Stage } from './stages/settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { WatchStack } from './watch-stack.ts';

/**
 * Feature flags of the CDK that new projects have by default. They are set in code and not in `cdk.json`, so that tests
 * synthesize the same templates as a deployment.
 */
const LIBRARY_FEATURES = {
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/core:target-partitions': ['aws'],
  '@aws-cdk/aws-s3:setUniqueReplicationRoleName': true,
  // A deployment of the stateful stack fails if it would remove something that the service stack still uses.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

interface AppOptions {
  /** Context in addition to that of the command line. */
  context?: Record<string, unknown>;
  /** Folder for templates and archives. @default the folder of the toolkit */
  outdir?: string;
}

/** Creates an app without stacks; each {@link Region} adds its own. */
export const createApp = ({ context = {}, outdir }: AppOptions = {}): App =>
  new App({ context: { ...LIBRARY_FEATURES, ...context }, ...(outdir !== undefined && { outdir }) });

/** Types that the CDK would tag, although the specification of cfn-lint knows no tags of them. */
const UNTAGGED = ['AWS::CloudWatch::Dashboard'];

interface RegionProps {
  readonly stage: Stage;
  readonly groups: readonly EndpointGroup[];
  /** Returns the path of a function's archive. */
  readonly zipOf: (name: string) => string;
}

/** The stacks of one stage (rules/storage.md#regions). `cdk deploy 'eu/*'` deploys all stacks of the stage `eu`. */
export class Region extends DeploymentStage {
  readonly stateful: StatefulStack;
  readonly service: ServiceStack;
  readonly watch: WatchStack;

  constructor(app: App, { stage, groups, zipOf }: RegionProps) {
    const { name, region, account } = stage;
    const permissionsBoundary = boundaryOf(app, stage);
    super(app, name, {
      env: { region, ...(account !== undefined && { account }) },
      ...(permissionsBoundary && { permissionsBoundary }),
    });
    for (const [tag, value] of Object.entries(stage.tags))
      Tags.of(this).add(tag, value, { excludeResourceTypes: UNTAGGED });
    this.stateful = new StatefulStack(this, 'stateful', { stackName: stackName(name, 'stateful'), stage });
    this.service = new ServiceStack(this, 'service', {
      stackName: stackName(name, 'service'),
      stage,
      groups,
      zipOf,
      stateful: this.stateful,
    });
    this.watch = new WatchStack(this, 'watch', {
      stackName: stackName(name, 'watch'),
      stage,
      groups,
      stateful: this.stateful,
      service: this.service,
    });
  }
}

/** The context key that some companies set with a flag for every app, so that all roles get their boundary. */
const BOUNDARY_KEY = '@aws-cdk/core:permissionsBoundary';

/**
 * Returns the boundary of the roles of a stage. A flag gives the key of the CDK as text, which the CDK would ignore without a
 * word: it reads an object.
 */
function boundaryOf(app: App, { permissionsBoundary }: Stage): PermissionsBoundary | undefined {
  const flag: unknown = app.node.tryGetContext(BOUNDARY_KEY);
  const boundary = permissionsBoundary ?? (typeof flag === 'string' ? flag : undefined);
  if (boundary === undefined) return undefined;
  return boundary.startsWith('arn:') ? PermissionsBoundary.fromArn(boundary) : PermissionsBoundary.fromName(boundary);
}
