import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { environmentsGroup } from './endpoints.ts';

export const handler = groupHandler(environmentsGroup, lambdaServices());
