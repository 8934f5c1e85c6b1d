import { describeApi } from '#functions/groups.ts';

/** The description of the whole API as JSON. Bundles have its text in the place of this module (infra/bundles). */
export const documentText = (): string => describeApi();
