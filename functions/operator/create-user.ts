import * as z from 'zod';
import { createUser as create, DirectoryName } from '#shared/organizations/create-organization.ts';
import { command, done } from './command.ts';

/** Creates a user. If the user exists already, changes nothing. */
export const createUser = command({
  name: 'create-user',
  schema: z.strictObject({ name: DirectoryName }),
  run: async ({ name }, services) => {
    const { id, isNew } = await create(services, name);
    const message = isNew ? `Created the user '${name}'` : `The user '${name}' exists already`;
    return done(message, { id, name, created: isNew });
  },
});
