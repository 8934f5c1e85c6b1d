import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * What happens to a resource with a state when it leaves its stack: it stays in the account. Only the resources of a first
 * deployment that fails are removed again: they are empty, and the next try would make others beside them.
 */
export const KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
