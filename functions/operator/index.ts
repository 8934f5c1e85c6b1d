import { runOperator } from '#functions/operator/run-operator.ts';
import { lambdaServices } from '#functions/services.ts';

const services = lambdaServices();

/** Invoked directly, by those whom IAM lets: no route of the gateway leads here (design §3, «Bootstrap»). */
export const handler = (event: unknown) => runOperator(services(), event);
