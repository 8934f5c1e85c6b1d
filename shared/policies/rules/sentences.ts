import { sentence } from '#shared/base/errors.ts';

export const unknownPolicy = sentence('not-found', "Policy '{policy}' does not exist in organization '{org}'");
