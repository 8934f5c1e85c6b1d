import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { searchGroup } from './endpoints.ts';

export const handler = groupHandler(searchGroup, lambdaServices());
