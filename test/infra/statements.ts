import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf } from './synthesized.ts';

export interface Policy {
  PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown; Condition?: unknown }[] };
}

/** Returns the statements of a function's role. @param id construct id of the function */
export const statementsOf = (service: Template, id: string): Policy['PolicyDocument']['Statement'] =>
  Object.entries(resourcesOf<Policy>(service, 'AWS::IAM::Policy'))
    .filter(([policy]) => policy.startsWith(`${id}Role`))
    .flatMap(([, { PolicyDocument }]) => PolicyDocument.Statement);
