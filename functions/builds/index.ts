import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { buildsGroup } from './endpoints.ts';

export const handler = groupHandler(buildsGroup, lambdaServices());
