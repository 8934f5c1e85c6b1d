import { App, Stage as DeploymentStage } from 'aws-cdk-lib';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { ServiceStack } from './service-stack.ts';
import type { Stage, StageName } from './stages.ts';
import { StatefulStack } from './stateful-stack.ts';

/** Behaviour of the library that newer projects have by default; set here, so that tests see what is deployed. */
const LIBRARY_FEATURES = {
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/core:target-partitions': ['aws'],
  // What the service stack uses cannot be taken away from under it by a deployment of the other.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

export interface AppOptions {
  /** Settings beside those of the command line. */
  context?: Record<string, unknown>;
  /** Where templates and archives go; the toolkit's folder when absent. */
  outdir?: string;
}

/** The app that regions are added to. */
export const createApp = ({ context = {}, outdir }: AppOptions = {}): App =>
  new App({ context: { ...LIBRARY_FEATURES, ...context }, ...(outdir !== undefined && { outdir }) });

export interface RegionProps {
  readonly stage: Stage;
  readonly groups: readonly EndpointGroup[];
  /** The archive of a function by its name. */
  readonly zipOf: (name: string) => string;
}

/** One set of stacks, for one region (design §1, «Regions are data»): `cdk deploy 'eu/*'` deploys both. */
export class Region extends DeploymentStage {
  readonly stateful: StatefulStack;
  readonly service: ServiceStack;

  constructor(app: App, { stage, groups, zipOf }: RegionProps) {
    const { name, region, account } = stage;
    super(app, name, { env: { region, ...(account !== undefined && { account }) } });
    this.stateful = new StatefulStack(this, 'stateful', { stackName: stackName(name, 'stateful'), stage });
    this.service = new ServiceStack(this, 'service', {
      ...{ stackName: stackName(name, 'service'), stage, groups, zipOf },
      stateful: this.stateful,
    });
  }
}

export const stackName = (stage: StageName, part: 'stateful' | 'service'): string =>
  `delivery-evidence-${stage}-${part}`;
