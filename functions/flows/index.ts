import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { flowsGroup } from './endpoints.ts';

export const handler = groupHandler(flowsGroup, lambdaServices());
