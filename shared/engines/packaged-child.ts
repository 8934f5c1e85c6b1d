import { join } from 'node:path';
import type { ChildEnginesOptions } from './child-engines.ts';

/** File names in the package of the engines' child process. The stacks build the package; deployed functions use it. */
export const CHILD_PACKAGE = { entry: 'child.js', jq: 'jq.js', jqBinary: 'jq.wasm' } as const;

/**
 * Returns the files of the child process in its package. A deployed function has neither sources nor modules.
 *
 * @param directory absolute path of the package
 */
export const packagedChild = (directory: string): Required<ChildEnginesOptions>['child'] => ({
  entry: join(directory, CHILD_PACKAGE.entry),
  readable: [directory],
  jqPath: join(directory, CHILD_PACKAGE.jq),
});
