import { tableServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { documentText } from './document.ts';
import { metaGroup } from './endpoints.ts';

export const handler = groupHandler(metaGroup(documentText), tableServices());
