import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { customAttestationTypesGroup } from './endpoints.ts';

export const handler = groupHandler(customAttestationTypesGroup, lambdaServices());
