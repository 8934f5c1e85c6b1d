import * as z from 'zod';
import { LOCAL } from './settings.ts';

/** What a running local stack says of itself in the file `stack.json` of its data directory, for commands on this machine. */
export const StackFile = z.looseObject({
  /** Address that accepts operator commands. */
  operator: z.url(),
  /** Addresses of the servers. */
  endpoints: z.looseObject({ dynamodb: z.url(), s3: z.url() }),
  table: z.string().default(LOCAL.tableName),
});
export type StackFile = z.infer<typeof StackFile>;
