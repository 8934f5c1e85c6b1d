import * as z from 'zod';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';

/** The fields that both endpoints accept which create or change a flow. Absent or null leaves a field unchanged. */
export const flowFields = {
  name: FlowName,
  description: z.string().nullish(),
  visibility: z.enum(['public', 'private']).nullish(),
};
