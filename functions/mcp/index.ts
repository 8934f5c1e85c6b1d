import { deployedAccessTokens } from '#functions/deployed-access-tokens.ts';
import { deployedKeys } from '#functions/deployed-keys.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { mcpGroup } from './endpoints.ts';

export const handler = groupHandler(mcpGroup, lambdaServices({ keysOf: deployedKeys, tokensOf: deployedAccessTokens }));
