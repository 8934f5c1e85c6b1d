import { groups } from '#functions/groups.ts';
import { metaGroup } from '#functions/meta/endpoints.ts';
import { lambdaServices } from '#functions/services.ts';
import { groupHandler } from '#shared/http/lambda.ts';

export const handler = groupHandler(
  metaGroup(() => groups),
  lambdaServices(),
);
