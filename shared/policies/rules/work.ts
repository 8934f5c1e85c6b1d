import type { Expression, Node } from './expression/ast.ts';
import { MAX_MATCHED_TEXT } from './expression/evaluate.ts';
import type { PolicyContent } from './policy.ts';

/**
 * The work of evaluating policies, in checks (rules/policies.md#checks). A check is about a microsecond: one rule in one
 * flow of one artifact. The other figures were measured against it.
 */
export interface PolicyWork {
  /** Rules of the policies, with the two that every policy has. */
  rules: number;
  /** Checks per flow of an artifact: the rules and the length of their expressions. */
  perFlow: number;
  /** Parts of the patterns that `matches` searches, once per flow. */
  patternParts: number;
  /** Checks per attestation in a flow, and per decision on a control. */
  perAttestation: number;
}

/** What an artifact brings to the work in one of its flows. */
export interface FlowFacts {
  /** Length of the longest text that a pattern can search. */
  longestText: number;
  attestations: number;
}

/** Characters of an expression that take as long as one check. */
const CHARACTERS = 32;
/** Searching this many characters for one part of a pattern takes as long as one check. */
const SEARCHED = 64;
/** Comparing a rule with this many attestations takes as long as one check. */
const COMPARED = 32;

/** Adds up what policies cost. */
export function policyWork(policies: readonly PolicyContent[]): PolicyWork {
  const work = { rules: 0, perFlow: 0, patternParts: 0, perAttestation: 0 };
  for (const { provenance, trailCompliance, attestations, sbom, denials } of policies) {
    const rules = 2 + attestations.length + (sbom ? 1 : 0) + denials.length;
    const conditions = [
      provenance.reported_by,
      ...[...provenance.exceptions, ...trailCompliance.exceptions, ...(sbom?.exceptions ?? [])].map((one) => one.if),
      ...[...attestations, ...denials].map((one) => one.if),
    ].filter((one) => one !== null);
    const readers = attestations.flatMap(({ reported_by: reader }) => reader ?? []);
    work.rules += rules;
    work.perFlow += rules + sum(conditions.map(lengthChecks));
    work.patternParts += sum(conditions.map(({ root }) => patternParts(root)));
    work.perAttestation += attestations.length / COMPARED + sum(readers.map(readerChecks));
  }
  return work;
}

/** The checks of one artifact in one flow, or of an artifact without flows. */
export const flowChecks = (
  { perFlow, patternParts: parts, perAttestation }: PolicyWork,
  { longestText, attestations }: FlowFacts,
): number => perFlow + (parts * Math.min(longestText, MAX_MATCHED_TEXT)) / SEARCHED + perAttestation * attestations;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const lengthChecks = ({ text }: Expression): number => Math.ceil(text.length / CHARACTERS);

/** An expression about a reporter reads claims of a token. Long ones are rare. */
const LENGTH_OF_CLAIMS = 256;
const readerChecks = (reader: Expression): number =>
  lengthChecks(reader) + (patternParts(reader.root) * LENGTH_OF_CLAIMS) / SEARCHED;

function patternParts(node: Node): number {
  switch (node.kind) {
    case 'matches':
      return node.pattern.programSize();
    case 'not':
      return patternParts(node.operand);
    case 'and':
    case 'or':
      return sum(node.operands.map(patternParts));
    case 'comparison':
      return patternParts(node.left) + patternParts(node.right);
    default:
      return 0;
  }
}
