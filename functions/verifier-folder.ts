import { fileURLToPath } from 'node:url';

/**
 * Returns the folder with the verifier as one file (rules/verification.md#one-file). In bundles, it is a folder beside the
 * function (infra/bundles).
 */
export const verifierFolder = (): string => fileURLToPath(new URL('../dist/verifier', import.meta.url));
