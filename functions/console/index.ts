import { publicServices } from '#functions/public-services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { consoleGroup } from './endpoints.ts';

export const handler = groupHandler(consoleGroup, publicServices());
