import { join } from 'node:path';

/** The one file that a package of the policies' child process consists of; the stacks make it, deployed functions use it. */
export const POLICY_CHILD_ENTRY = 'child.js';

/** The program of the child process, and what it may read. */
export interface PolicyChild {
  entry: string;
  readable: readonly string[];
}

/**
 * The child process as it lies in a package, where there are neither sources nor modules.
 *
 * @param directory absolute path of the package
 */
export const packagedPolicyChild = (directory: string): PolicyChild => ({
  entry: join(directory, POLICY_CHILD_ENTRY),
  readable: [directory],
});
