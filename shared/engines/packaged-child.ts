import { join } from 'node:path';
import type { ChildEnginesOptions } from './child-engines.ts';

/** What a package of the engines' child process consists of; the stacks make it, deployed functions use it. */
export const CHILD_PACKAGE = { entry: 'child.js', jq: 'jq.js', jqBinary: 'jq.wasm' } as const;

/**
 * The child process as it lies in a package, where there are neither sources nor modules.
 *
 * @param directory absolute path of the package
 */
export const packagedChild = (directory: string): Required<ChildEnginesOptions>['child'] => ({
  entry: join(directory, CHILD_PACKAGE.entry),
  readable: [directory],
  jqPath: join(directory, CHILD_PACKAGE.jq),
});
