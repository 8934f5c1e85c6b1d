import { deployedKeys } from '#functions/deployed-keys.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { witnessGroup } from './endpoints.ts';

export const handler = groupHandler(witnessGroup, lambdaServices({ keysOf: deployedKeys }));
