import { deployedKeys } from '#functions/deployed-keys.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { statementsGroup } from './endpoints.ts';

export const handler = groupHandler(statementsGroup, lambdaServices({ keysOf: deployedKeys }));
