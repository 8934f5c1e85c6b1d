import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { serviceAccountsGroup } from './endpoints.ts';

export const handler = groupHandler(serviceAccountsGroup, lambdaServices());
