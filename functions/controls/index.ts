import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { controlsGroup } from './endpoints.ts';

export const handler = groupHandler(controlsGroup, lambdaServices());
