import * as z from 'zod';

/** The recalls that the signature of a record falls under, by name, as answers show them (rules/verified-evidence.md#effect-of-recalls). */
export const RecallsOut = z
  .array(
    z.object({
      name: z.string().describe('Name of the recall'),
      version: z.int().describe('Number of the version of the recall'),
      since: z.number().describe('When this version was saved, in seconds since the epoch'),
    }),
  )
  .readonly();
