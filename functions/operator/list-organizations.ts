import * as z from 'zod';
import { isId, type OrganizationId } from '#shared/base/ids.ts';
import { listOrganizations as list } from '#shared/organizations/list-organizations.ts';
import { command, done, refused } from './command.ts';

/** Organizations of one answer. An answer of the function has at most 6 MB. */
const PAGE = 1_000;

/** Lists all organizations, the oldest first (rules/organizations.md#operator). */
export const listOrganizations = command({
  name: 'list-organizations',
  schema: z.strictObject({
    /** Id of the last organization of the answer before. */
    after: z.string().optional(),
  }),
  run: async ({ after }, services) => {
    if (after !== undefined && !isId<OrganizationId>(after)) {
      return refused(`after: '${after}' is no id of an organization. Give the id in 'next' of the answer before`);
    }
    const { organizations, next } = await list(services, { after, limit: PAGE });
    const count = organizations.length === 1 ? 'One organization' : `${organizations.length} organizations`;
    return done(next === null ? count : `${count}. There are more: repeat the command with --after ${next}`, {
      organizations: organizations.map(({ id, name, record }) => ({
        name,
        id,
        kind: record?.kind ?? null,
        features: record?.features ?? null,
      })),
      next,
    });
  },
});
