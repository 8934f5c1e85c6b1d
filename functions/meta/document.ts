import { describeApi } from '#functions/groups.ts';

/** Returns the OpenAPI document as JSON text. In bundles, the finished text replaces this module (infra/bundles). */
export const documentText = (): string => describeApi();
