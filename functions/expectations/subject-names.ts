import * as z from 'zod';

/** What an expectation is about, with present names (rules/expectations.md#subjects). */
export const SubjectNameOut = z
  .object({
    type: z.string().describe('`environment`, `flow`, `scope`, `trail` or `artifact`'),
    flow: z.string().optional().meta({ description: 'Name of the flow, of types `flow` and `trail`' }),
    trail: z.string().optional().meta({ description: 'Name of the trail, of type `trail`' }),
    environment: z
      .string()
      .optional()
      .meta({ description: 'Name of the environment, of types `environment` and `artifact`' }),
    fingerprint: z.string().optional().meta({ description: 'Fingerprint, of type `artifact`' }),
    name: z.string().optional().meta({ description: 'Name under which the artifact started, of type `artifact`' }),
  })
  .meta({ id: 'ExpectationSubjectName' });
