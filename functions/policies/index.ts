import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { policiesGroup } from './endpoints.ts';

export const handler = groupHandler(policiesGroup, lambdaServices());
