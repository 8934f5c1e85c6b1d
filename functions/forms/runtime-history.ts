import * as z from 'zod';

/** When an artifact started and stopped to run (rules/artifacts.md#artifact-as-read). */
export const RuntimeHistory = z
  .array(
    z.object({
      event: z.string().describe('What happened'),
      timestamp: z.number().describe('Time in seconds since the epoch'),
    }),
  )
  .describe('What happened to the artifact, oldest first');
