import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { assertsGroup } from './endpoints.ts';

export const handler = groupHandler(assertsGroup, lambdaServices());
