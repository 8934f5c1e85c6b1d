import { deployedKeys } from '#functions/deployed-keys.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { logGroup } from './endpoints.ts';

export const handler = groupHandler(logGroup, lambdaServices({ keysOf: deployedKeys }));
