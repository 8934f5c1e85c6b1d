import type { RE2JS } from 're2js';
import { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { Decimal } from './decimal.ts';
import type { Position } from './tokens.ts';

/**
 * The names that an expression can read (`rules/policies.md#names`). Tags are not listed, because callers choose their
 * keys.
 */
export const NAMES = ['flow', 'flow.name', 'artifact', 'artifact.name', 'artifact.fingerprint'] as const;
export type Name = (typeof NAMES)[number];

/** What `reported_by` can read besides (`rules/policies.md#reported-by`). Claims are not listed: issuers choose their names. */
export const IDENTITY_FIELDS = ProvenOrigin.omit({ claims: true }).keyof().options;

/** What `reported_by` of an attestation rule can read of a verified statement (`rules/policies.md#statements`). */
export const STATEMENT_FIELDS = ['predicate_type', 'builder.id', 'source.ref', 'source.uri', 'source.commit'] as const;

export type Reference =
  | { readonly kind: 'name'; readonly name: Name; readonly at: Position }
  | { readonly kind: 'tag'; readonly key: string; readonly at: Position }
  | { readonly kind: 'identity'; readonly field: (typeof IDENTITY_FIELDS)[number] | null; readonly at: Position }
  | { readonly kind: 'claim'; readonly key: string; readonly at: Position }
  | { readonly kind: 'statement'; readonly field: (typeof STATEMENT_FIELDS)[number] | null; readonly at: Position };

export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>', 'in'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A part of a parsed expression, with the position of its first character. */
export type Node =
  | Reference
  | { readonly kind: 'string'; readonly value: string; readonly at: Position }
  | { readonly kind: 'number'; readonly value: Decimal; readonly at: Position }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly at: Position }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly at: Position }
  | { readonly kind: 'exists'; readonly of: Reference; readonly at: Position }
  | { readonly kind: 'matches'; readonly input: Node; readonly pattern: RE2JS; readonly at: Position }
  | { readonly kind: 'not'; readonly operand: Node; readonly at: Position }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Node[]; readonly at: Position }
  | {
      readonly kind: 'comparison';
      readonly operator: Comparison;
      readonly left: Node;
      readonly right: Node;
      readonly at: Position;
    };

export interface Expression {
  /** The expression without wrapper and outer white space, as answers show it (`rules/policies.md#decision`). */
  readonly text: string;
  readonly root: Node;
}
