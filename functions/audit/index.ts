import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { auditGroup } from './endpoints.ts';

export const handler = groupHandler(auditGroup, lambdaServices());
