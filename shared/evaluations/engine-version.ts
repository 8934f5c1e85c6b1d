/** Name of the engine in the proof of an evaluation (rules/evaluations.md#proof). */
export const ENGINE_NAME = 'rego';

/** Increase the version with every change of the engine that can change the outcome of a policy. */
export const ENGINE_VERSION = '2.1.2';

/** The language of policies, as the reference has it in one version. */
export const ENGINE_LANGUAGE = 'Rego v1, as in OPA 1.22.2';
