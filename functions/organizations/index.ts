import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { organizationsGroup } from './endpoints.ts';

export const handler = groupHandler(organizationsGroup, lambdaServices());
