import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { environmentNotificationsGroup } from './endpoints.ts';

export const handler = groupHandler(environmentNotificationsGroup, lambdaServices());
