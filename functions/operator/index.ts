import { deployedKeys } from '#functions/deployed-keys.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { lambdaServices } from '#functions/services.ts';

const services = lambdaServices({ keysOf: deployedKeys });

/** Invoked directly, with IAM rights; the gateway has no route to this function (rules/organizations.md#operator). */
export const handler = (event: unknown) => runOperator(services(), event);
