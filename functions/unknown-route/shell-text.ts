import { readFileSync } from 'node:fs';

/** Returns the page that loads the console. In bundles, its text replaces this module (infra/bundles). */
export const shellText = (): string => readFileSync(new URL('../../dist/console/index.html', import.meta.url), 'utf8');
