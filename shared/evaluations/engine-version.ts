/** Name of the engine in the proof of an evaluation (rules/evaluations.md#proof). */
export const ENGINE_NAME = 'rego';

/** Increase the version with every change of the engine that can change the outcome of a policy. */
export const ENGINE_VERSION = '1.1.0';
