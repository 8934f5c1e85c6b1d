import { CfnResource } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * Fixes the logical id of a resource. Otherwise moving the construct in the code would change the id, and CloudFormation
 * would replace the resource with an empty one.
 */
export function pinLogicalId(resource: Construct, logicalId: string): void {
  const element = resource.node.defaultChild;
  if (!CfnResource.isCfnResource(element)) throw new Error(`${resource.node.path} has no CloudFormation resource`);
  element.overrideLogicalId(logicalId);
}
