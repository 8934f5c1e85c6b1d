import { join } from 'node:path';

/** The only file in the package of the child process. The stacks build the package, deployed functions start it. */
export const POLICY_CHILD_ENTRY = 'child.js';

export interface PolicyChild {
  entry: string;
  readable: readonly string[];
}

/** Returns the child's program in a package, which has neither sources nor node_modules. @param directory absolute path */
export const packagedPolicyChild = (directory: string): PolicyChild => ({
  entry: join(directory, POLICY_CHILD_ENTRY),
  readable: [directory],
});
