import * as z from 'zod';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';

/** The fields that both endpoints accept which create or change a flow. Absent or null leaves a field unchanged. */
export const flowFields = {
  name: FlowName.describe('Name of the flow. An existing flow of this name is updated'),
  description: z.string().nullish().describe('A text for people'),
  visibility: z
    .enum(['public', 'private'])
    .nullish()
    .describe('Stored and shown, without effect on who may read the flow'),
};
