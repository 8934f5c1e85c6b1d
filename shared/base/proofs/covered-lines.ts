import { hash } from 'node:crypto';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { canonicalJson } from './hash-chain.ts';

/** A record as the line of an export has it, where each body stands as `{commitment}`. */
export type CoveredLine = Readonly<Record<string, unknown>>;

/** How the lines of a kind are covered (rules/organizations.md#covers). */
export interface CoveredKind {
  /** The members that name a record among the lines of its kind. */
  key: readonly string[];
  /** The members that are covered, if others follow from something else. Absent: all. */
  only?: readonly string[];
  /** Whether a record can begin without an entry of the audit log: a flow that a report makes. */
  beginsUnsaid?: true;
}

/** The kinds of lines that entries of the audit log cover, by family and kind. */
export const COVERED = {
  'members/member': { key: ['principal'] },
  'service-accounts/service_account': { key: ['name'] },
  'trusts/trust': { key: ['name'] },
  'policies/policy': { key: ['policy'] },
  'policies/version': { key: ['policy', 'number'] },
  'controls/control': { key: ['control'] },
  'controls/version': { key: ['control', 'version'] },
  'controls/tags': { key: ['control'] },
  'custom-types/type': { key: ['type'] },
  'custom-types/version': { key: ['type', 'number'] },
  'flows/flow': { key: ['flow'], beginsUnsaid: true },
  'flows/facts': { key: ['flow'] },
  'flows/tags': { key: ['flow'] },
  'environments/environment': {
    key: ['environment'],
    only: ['item', 'environment', 'id', 'name', 'kind', 'created', 'by', 'archived', 'policies', 'members'],
  },
  'environments/facts': { key: ['environment'] },
  'environments/tags': { key: ['environment'] },
  'presence/day': { key: ['environment', 'date'] },
  'actions/action': { key: ['number', 'version'] },
  'expectations/expectation': { key: ['name'] },
  'expectations/version': { key: ['name', 'version'] },
  'gaps/gap': { key: ['id'] },
  'watches/watch': { key: ['name'] },
  'watches/match': { key: ['id'] },
  'trust-roots/trust_root': { key: ['name'] },
  'trust-roots/version': { key: ['name', 'version'] },
  'signers/signer': { key: ['name'] },
  'signers/version': { key: ['name', 'version'] },
  'recalls/recall': { key: ['name'] },
  'recalls/version': { key: ['name', 'version'] },
  'allow-lists/allowed': { key: ['environment', 'fingerprint', 'id'] },
} as const satisfies Record<string, CoveredKind>;
export type CoveredName = keyof typeof COVERED;

export const isCovered = (name: string): name is CoveredName => Object.hasOwn(COVERED, name);

/** Names a record among the lines of its kind. */
export const keyOf = (name: CoveredName, line: CoveredLine): string =>
  COVERED[name].key.map((member) => String(line[member])).join(' ');

/**
 * Returns the digest of a line in hex: the SHA-256 of its canonical JSON, where each body stands as its commitment. So
 * nobody can test a guess of a text once its salt was erased.
 */
export function lineDigest(name: CoveredName, line: CoveredLine): string {
  const { only }: CoveredKind = COVERED[name];
  const covered = only ? Object.fromEntries(only.map((member) => [member, line[member]])) : line;
  return hash('sha256', canonicalJson(covered));
}

/**
 * Returns what a change left behind of a record.
 *
 * @param before undefined if the record is new
 * @param after undefined if the record was removed
 * @throws Error if both are undefined
 */
export function coverOf(name: CoveredName, before: CoveredLine | undefined, after: CoveredLine | undefined): Cover {
  const line = after ?? before;
  if (!line) throw new Error(`A change of ${name} has neither a record before nor one after it`);
  return {
    family: name,
    key: keyOf(name, line),
    digest: after ? lineDigest(name, after) : null,
    ...(before && { replaces: lineDigest(name, before) }),
  };
}
