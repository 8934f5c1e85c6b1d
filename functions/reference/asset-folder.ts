import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** Returns the folder with the page's files: their package. In bundles, it is the bundle's own folder (infra/bundles). */
export const assetFolder = (): string =>
  dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
