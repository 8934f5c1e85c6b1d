import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { reposGroup } from './endpoints.ts';

export const handler = groupHandler(reposGroup, lambdaServices());
