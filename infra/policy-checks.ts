import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Checks every construct of the app against the rules «AWS Solutions» of cdk-nag. A broken rule fails the synthesis. */
export const checkPolicies = (app: App): void => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
};

/** Accepts that a construct, or a construct inside it, breaks a rule on purpose. The reason goes into the report. */
export const acceptFinding = (construct: IConstruct, rule: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
