import { sentence } from '#shared/base/errors.ts';

export const unknownPolicy = sentence(404, "Policy '{policy}' does not exist in organization '{org}'");
