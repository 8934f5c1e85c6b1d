import { App } from 'aws-cdk-lib';
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

/** The app that stacks are added to. @param context settings beside those of the command line */
export const createApp = (context: Record<string, unknown> = {}): App =>
  new App({ context: { ...LIBRARY_FEATURES, ...context } });

export interface RegionStacks {
  stateful: StatefulStack;
  service: ServiceStack;
}

/** One set of stacks, for one region (design §1, «Regions are data»). */
export function addRegion(app: App, stage: Stage, groups: readonly EndpointGroup[]): RegionStacks {
  const stateful = new StatefulStack(app, stackName(stage.name, 'stateful'), stage);
  const service = new ServiceStack(app, stackName(stage.name, 'service'), { stage, stateful, groups });
  return { stateful, service };
}

export const stackName = (stage: StageName, part: 'stateful' | 'service'): string =>
  `delivery-evidence-${stage}-${part}`;
