import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { actionsGroup } from './endpoints.ts';

export const handler = groupHandler(actionsGroup, lambdaServices());
