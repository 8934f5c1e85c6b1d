import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { allowlistsGroup } from './endpoints.ts';

export const handler = groupHandler(allowlistsGroup, lambdaServices());
