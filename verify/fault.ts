export { Fault, inPlace } from '#shared/log/rules/verify/fault.ts';

/** The command was called wrongly, so nothing was verified. */
export class UsageError extends Error {}
