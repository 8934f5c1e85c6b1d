import type { Context } from 'aws-lambda';
import { runOperator } from './run-operator.ts';
import { lambdaOperatorServices } from './services.ts';

const services = lambdaOperatorServices();

/** Invoked directly, with IAM rights; the gateway has no route to this function (rules/organizations.md#operator). */
export const handler = (event: unknown, { awsRequestId }: Pick<Context, 'awsRequestId'>) =>
  runOperator(services(), event, { invocation: awsRequestId });
