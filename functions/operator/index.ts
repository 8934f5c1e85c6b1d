import { runOperator } from './run-operator.ts';
import { lambdaOperatorServices } from './services.ts';

const services = lambdaOperatorServices();

/** Invoked directly, with IAM rights; the gateway has no route to this function (rules/organizations.md#operator). */
export const handler = (event: unknown) => runOperator(services(), event);
