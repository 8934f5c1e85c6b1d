import { publicServices } from '#functions/public-services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { referenceGroup } from './endpoints.ts';

export const handler = groupHandler(referenceGroup, publicServices());
