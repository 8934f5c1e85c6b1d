import { sentence } from '#shared/base/errors.ts';

// Controls (API document «Errors»; wire admin §3, §11)
export const unknownControl = sentence(404, "Control '{control}' does not exist in organization '{org}'");
/** The quotation marks around it are the contract's (wire admin §9). */
export const unknownControlTagged = sentence(404, "\"Control '{control}' does not exist in organization '{org}'\"");
export const controlOrVersionNotFound = sentence(404, 'Control or version not found');
export const controlExists = sentence(
  409,
  "A control with identifier '{control}' already exists in organization '{org}'",
);
export const controlArchived = sentence(
  400,
  "Control '{control}' is archived in organization '{org}'. Unarchive it before changing it",
);
