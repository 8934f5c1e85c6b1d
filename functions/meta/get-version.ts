import * as z from 'zod';
import { type Release, runningRelease } from '#shared/base/release.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const Version = z
  .object({
    version: z.string().describe('Semantic version of the release'),
    commit: z.string().describe('Commit that was built; `-modified` behind it if files differed, or `unknown`'),
    data_format: z.int().describe('Data format that the release writes, and the newest that it reads'),
  })
  .meta({ id: 'Version' }) satisfies z.ZodType<Release>;

/** Says which release answers (rules/requests.md#version). */
export const getVersion = endpoint({
  operation: 'getVersion',
  method: 'GET',
  path: '/version',
  summary: 'Get the version of the service',
  access: 'public',
  success: { 200: Version },
  handler: async () => ({ status: 200, body: runningRelease() }),
});
