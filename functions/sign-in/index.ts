import { deployedSignIn } from '#functions/deployed-sign-in.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { signInGroup } from './endpoints.ts';

export const handler = groupHandler(signInGroup, lambdaServices({ signInOf: deployedSignIn }));
