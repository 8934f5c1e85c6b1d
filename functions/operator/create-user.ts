import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { DirectoryName } from '#shared/organizations/records/directory-records.ts';
import { command, done } from './command.ts';

/** Creates a user. If the user exists already, changes nothing. */
export const createUser = command({
  name: 'create-user',
  schema: z.strictObject({ name: DirectoryName }),
  run: async ({ name }, { directory, clock }) => {
    const now = clock.now();
    const { record, created } = await directory.createUser({ id: newId(now), name, createdAt: now });
    const message = created ? `Created the user '${name}'` : `The user '${name}' exists already`;
    return done(message, { id: record.id, name, created });
  },
});
