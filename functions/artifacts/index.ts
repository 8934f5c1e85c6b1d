import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { artifactsGroup } from './endpoints.ts';

export const handler = groupHandler(artifactsGroup, lambdaServices());
