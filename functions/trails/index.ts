import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { trailsGroup } from './endpoints.ts';

export const handler = groupHandler(trailsGroup, lambdaServices());
