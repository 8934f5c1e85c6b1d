import { fileURLToPath } from 'node:url';

/** Returns the folder with the compiled files. In bundles, it is a folder beside the function (infra/bundles). */
export const assetFolder = (): string => fileURLToPath(new URL('../../dist/console/assets', import.meta.url));
