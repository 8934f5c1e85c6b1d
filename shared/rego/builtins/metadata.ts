import { BuiltinError } from '../errors.ts';
import { type Builtin, theme } from './registry.ts';

export const METADATA_THEME = 'metadata';

/** Annotations. The compiler puts their values in place of calls in rules (`compile/annotations.ts`). */
export const METADATA: readonly Builtin[] = theme(METADATA_THEME, [
  ['rego.metadata.chain', [], 'array', outsideOfRules],
  ['rego.metadata.rule', [], 'object', outsideOfRules],
]);

function outsideOfRules(): never {
  throw new BuiltinError('must only be called within a rule');
}
