/** What evaluates policies, as evaluations keep it. */
export const ENGINE_NAME = 'rego';

/** Goes up with every change of the engine after which a policy may have another outcome. */
export const ENGINE_VERSION = '1.0.0';
