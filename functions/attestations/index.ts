import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { attestationsGroup } from './endpoints.ts';

export const handler = groupHandler(attestationsGroup, lambdaServices());
