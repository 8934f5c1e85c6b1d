import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { evaluationsGroup } from './endpoints.ts';

export const handler = groupHandler(evaluationsGroup, lambdaServices());
