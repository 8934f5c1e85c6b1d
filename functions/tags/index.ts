import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { tagsGroup } from './endpoints.ts';

export const handler = groupHandler(tagsGroup, lambdaServices());
