import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Checks everything in the app against the rules «AWS Solutions»; the synthesis fails where one is broken. */
export const checkPolicies = (app: App): void => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
};

/** A rule that a construct and what is in it break on purpose, with the reason; nothing is excused without one. */
export const excuse = (construct: IConstruct, rule: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
