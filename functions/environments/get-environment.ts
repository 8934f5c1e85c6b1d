import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { presentEnvironmentRecord } from '#shared/environments/present-environment.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { EnvironmentOut, environmentOut, lastModified } from './environment-output.ts';
import { readWithNames } from './referred-names.ts';

/** GET /environments/{org}/{env_name}, by the present name or an alias (rules/environments.md#record). */
export const getEnvironment = endpoint({
  operation: 'getEnvironment',
  method: 'GET',
  path: '/environments/{org}/{env_name}',
  summary: 'Get an environment',
  access: 'reader',
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: EnvironmentOut },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: READ_BODIES,
  handler: async ({ params: { env_name: name }, org, host }, { table, objects }) => {
    const { found, names } = await readWithNames(
      table,
      org.id,
      name,
      () => presentEnvironmentRecord(table, objects, org, name),
      ({ head }) => head,
    );
    const { head, entry, facts, tags } = found;
    const shown = {
      ...head,
      facts,
      tags,
      changed: head.at,
      reported: entry?.r ?? 0,
      modified: lastModified(entry ?? { k: head.kind, m: head.created, r: 0, c: 0 }, head.at),
    };
    return { status: 200, body: environmentOut({ org, host }, shown, names) };
  },
});
