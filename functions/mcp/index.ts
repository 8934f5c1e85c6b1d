import { deployedAccessTokens } from '#functions/deployed-access-tokens.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { mcpGroup } from './endpoints.ts';

export const handler = groupHandler(mcpGroup, lambdaServices({ tokensOf: deployedAccessTokens }));
