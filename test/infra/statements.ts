import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf } from './synthesized.ts';

export interface Policy {
  PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown; Condition?: unknown }[] };
}

/** What a function may do: the statements of the policy of its role. */
export const statementsOf = (service: Template, id: string): Policy['PolicyDocument']['Statement'] =>
  Object.entries(resourcesOf<Policy>(service, 'AWS::IAM::Policy'))
    .filter(([policy]) => policy.startsWith(`${id}Role`))
    .flatMap(([, { PolicyDocument }]) => PolicyDocument.Statement);
