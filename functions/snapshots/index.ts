import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { snapshotsGroup } from './endpoints.ts';

export const handler = groupHandler(snapshotsGroup, lambdaServices());
