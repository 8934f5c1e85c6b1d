import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** Where the page's files lie: in their package. Bundles have them beside themselves (infra/bundles). */
export const assetFolder = (): string =>
  dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
